package lines

import "github.com/lightpath-net/lightpath/collective"

// visit is one phase of a piece: an operation on the digit of its turn. Piece k takes digit
// (k+turn) modulo the number of digits.
//
// In an all-to-all, the piece has reached its destination in the digits of earlier turns. In
// other operations a GPU has the blocks of the GPUs that agree with it in the digits of some
// turns, which operations on lines do not touch: fixed lists these turns, without the visit's
// own. An operation with a root runs only on lines of GPUs that are at place 0 in the digits of
// the turns zero.
type visit struct {
	op    collective.Op
	turn  int
	fixed []int
	zero  []int
}

// phases lists the ways to do an operation as a sequence of visits.
func phases(op collective.Op, digits int) [][]visit {
	var gathers, scatters, exchanges []visit
	for turn := range digits {
		gathers = append(gathers, visit{op: collective.AllGather, turn: turn, fixed: between(turn+1, digits)})
		scatters = append(scatters, visit{op: collective.ReduceScatter, turn: turn, fixed: between(0, turn)})
		exchanges = append(exchanges, visit{op: collective.AllToAll, turn: turn, fixed: between(0, turn)})
	}
	switch op {
	case collective.AllGather:
		return [][]visit{gathers}
	case collective.ReduceScatter:
		return [][]visit{scatters}
	case collective.AllToAll:
		return [][]visit{exchanges}
	case collective.Broadcast, collective.Scatter:
		return [][]visit{outwards(op, digits)}
	case collective.RootReduce, collective.Gather:
		return [][]visit{inwards(op, digits)}
	case collective.AllReduce:
		var all [][]visit
		for scattered := range digits { // digits that are scattered, not reduced as a whole
			way := append([]visit(nil), scatters[:scattered]...)
			for turn := scattered; turn < digits; turn++ {
				way = append(way, visit{op: collective.AllReduce, turn: turn, fixed: between(0, scattered)})
			}
			for turn := scattered - 1; turn >= 0; turn-- {
				way = append(way, visit{op: collective.AllGather, turn: turn, fixed: between(0, turn)})
			}
			all = append(all, way)
		}
		return all
	}
	return nil
}

// outwards lets the root of every line that has been reached pass on what is for others: the
// digits of later turns are 0.
func outwards(op collective.Op, digits int) (all []visit) {
	for turn := range digits {
		v := visit{op: op, turn: turn, zero: between(turn+1, digits)}
		if op == collective.Scatter {
			v.fixed = between(0, turn)
		}
		all = append(all, v)
	}
	return all
}

// inwards lets every line that has something left bring it to its root: the digits of earlier
// turns are 0.
func inwards(op collective.Op, digits int) (all []visit) {
	for turn := range digits {
		v := visit{op: op, turn: turn, zero: between(0, turn)}
		if op == collective.Gather {
			v.fixed = between(turn+1, digits)
		}
		all = append(all, v)
	}
	return all
}

// between lists first..end-1.
func between(first, end int) []int {
	var all []int
	for i := first; i < end; i++ {
		all = append(all, i)
	}
	return all
}

// whole reports whether the operation divides nothing among GPUs.
func (v visit) whole() bool { return v.op == collective.Broadcast || v.op == collective.RootReduce }

// share returns the fraction of a piece that an operation on a line handles.
func (v visit) share(g *grid, piece int) float64 {
	part := 1.0
	if v.op != collective.AllToAll {
		for _, turn := range v.fixed {
			part /= float64(g.sides[g.digit(piece, turn)])
		}
	}
	return part
}

// load returns a lower bound on what a port of the line sends in a phase, for pieces of size 1.
func (v visit) load(g *grid, piece int) float64 {
	d := g.digit(piece, v.turn)
	side := float64(g.sides[d])
	load := v.share(g, piece) / float64(g.ports[d])
	switch v.op {
	case collective.Broadcast, collective.RootReduce:
		return load
	case collective.AllReduce:
		load *= 2
	}
	return load * (side - 1) / side
}
