package lines

import "github.com/lightpath-net/lightpath/collective"

// visit is one phase of a piece: what it does on the digit of its turn. Piece k takes digit
// (k+turn) modulo the number of digits.
//
// In an exchange, the piece has gone to its goal in the digits of turns before. Otherwise a GPU has
// the blocks of those GPUs that agree with it in the digits of some turns, which an operation on
// lines does not touch: fixed are those beside the own turn.
type visit struct {
	op    collective.Op
	turn  int
	fixed []int
}

// phases lists the ways to do an operation by visits.
func phases(op collective.Op, digits int) [][]visit {
	var gathers, scatters, exchanges []visit
	for turn := range digits {
		gathers = append(gathers, visit{collective.AllGather, turn, between(turn+1, digits)})
		scatters = append(scatters, visit{collective.ReduceScatter, turn, between(0, turn)})
		exchanges = append(exchanges, visit{collective.AllToAll, turn, between(0, turn)})
	}
	switch op {
	case collective.AllGather:
		return [][]visit{gathers}
	case collective.ReduceScatter:
		return [][]visit{scatters}
	case collective.AllToAll:
		return [][]visit{exchanges}
	case collective.AllReduce:
		var all [][]visit
		for scattered := range digits { // the digits that are not reduced as a whole
			way := append([]visit(nil), scatters[:scattered]...)
			for turn := scattered; turn < digits; turn++ {
				way = append(way, visit{collective.AllReduce, turn, between(0, scattered)})
			}
			for turn := scattered - 1; turn >= 0; turn-- {
				way = append(way, visit{collective.AllGather, turn, between(0, turn)})
			}
			all = append(all, way)
		}
		return all
	}
	return nil
}

// between lists first..end-1.
func between(first, end int) []int {
	var all []int
	for i := first; i < end; i++ {
		all = append(all, i)
	}
	return all
}

// share is what part of a piece an operation on a line is for.
func (v visit) share(g *grid, piece int) float64 {
	part := 1.0
	if v.op != collective.AllToAll {
		for _, turn := range v.fixed {
			part /= float64(g.sides[g.digit(piece, turn)])
		}
	}
	return part
}

// load is a lower bound of what a port of the line sends in a phase, for pieces of size 1.
func (v visit) load(g *grid, piece int) float64 {
	d := g.digit(piece, v.turn)
	side := float64(g.sides[d])
	load := v.share(g, piece) * (side - 1) / side / float64(g.ports[d])
	if v.op == collective.AllReduce {
		load *= 2
	}
	return load
}
