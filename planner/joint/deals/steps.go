package deals

import (
	"math/bits"
	"slices"
)

// Send is a piece that a node sends along a path, in one step.
type Send struct {
	Path  []int32
	Piece int
}

// Steps returns what is sent in each step, and whether every node gets every piece within the
// loads that the deal claims. A node gets each piece once.
func (d *Deal) Steps() ([][]Send, bool) {
	first, ok := d.routes()
	if !ok {
		return nil, false
	}
	steps := [][]Send{first}
	have, into := d.held(), d.into()
	for _, most := range d.Rounds {
		next := slices.Clone(have)
		var sent []Send
		for v := 1; v < d.Nodes; v++ {
			for i, pieces := range match(offers(have, into[v], v), most) {
				next[v] |= pieces
				for ; pieces != 0; pieces &= pieces - 1 {
					sent = append(sent, Send{[]int32{int32(into[v][i]), int32(v)}, bits.TrailingZeros64(pieces)})
				}
			}
		}
		have = next
		steps = append(steps, sent)
	}
	return steps, !slices.ContainsFunc(have, func(h uint64) bool { return h != have[0] })
}

// held returns the pieces of each node after the deal, one bit each. The root has all.
func (d *Deal) held() []uint64 {
	have := make([]uint64, d.Nodes)
	have[0] = 1<<d.Pieces - 1
	for _, g := range d.Given {
		have[g.Node] |= 1 << g.Piece
	}
	return have
}

// into returns the sources of the circuits into each node.
func (d *Deal) into() [][]int {
	in := make([][]int, d.Nodes)
	for a, v := range d.To {
		if u := a / d.Degree; u != v {
			in[v] = append(in[v], u)
		}
	}
	return in
}

// maxDegree is the largest number of circuits into a node.
const maxDegree = 8

// offers returns the pieces that a node lacks and could get over each circuit into it.
func offers(have []uint64, into []int, node int) []uint64 {
	list := make([]uint64, len(into), maxDegree)
	for i, u := range into {
		list[i] = have[u] &^ have[node]
	}
	return list
}

// match chooses the pieces that come over each circuit, up to a number over each, so that as many
// different pieces come as possible. The pieces that the fewest circuits offer come first.
func match(offered []uint64, most int) (got [maxDegree]uint64) {
	all := uint64(0)
	for _, o := range offered {
		all |= o
	}
	for circuits := 1; circuits <= len(offered); circuits++ {
		for rest := all; rest != 0; rest &= rest - 1 {
			piece, count := rest&-rest, 0
			for _, o := range offered {
				if o&piece != 0 {
					count++
				}
			}
			if count == circuits {
				seen := 0
				place(offered, &got, most, piece, &seen)
			}
		}
	}
	return got
}

// place finds a circuit for a piece, and moves others if need be (an augmenting path). seen has
// the circuits that need no second visit.
func place(offered []uint64, got *[maxDegree]uint64, most int, piece uint64, seen *int) bool {
	for i, o := range offered {
		if o&piece == 0 || *seen>>i&1 == 1 {
			continue
		}
		*seen |= 1 << i
		if bits.OnesCount64(got[i]) < most {
			got[i] |= piece
			return true
		}
		for rest := got[i]; rest != 0; rest &= rest - 1 {
			if other := rest & -rest; place(offered, got, most, other, seen) {
				got[i] = got[i]&^other | piece
				return true
			}
		}
	}
	return false
}
