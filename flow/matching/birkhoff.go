package matching

import (
	"context"
	"math"
)

// sliverPart says how long leftovers may extend the schedule before they get a slot: by at most
// 1/sliverPart of the bound, so ShortestSlots lasts at most 1 + 1/sliverPart times SlotBound.
// Leftovers of that size come from rounding, as when the sums of rows are equal except for
// their last bits, and a slot for them would cost a change.
const sliverPart = 1_000_000_000

// ShortestSlots returns slots that carry the demand in the least time, which is SlotBound up to
// a relative 1e-9 (not counting delays). Row i of the demand is what node i sends, in bytes;
// its diagonal is ignored.
//
// It follows the proof of Birkhoff (1946) and von Neumann (1953): as long as each slot keeps
// every row and column with the largest sum busy to its end, the bound falls by its duration.
// Finding the fewest slots is NP-hard (Dufossé and Uçar 2016; Kulkarni, Lee and Singh 2017
// approximate it), and each slot here lasts as long as any could, as in the greedy heuristic of
// Dufossé and Uçar and the slicing of Solstice (Liu et al. 2015). Deviations: the demand is not
// filled up to equal sums beforehand. Instead a line (row or column) with slack may be idle in
// any slot, or finish before its end, so a pair can be part of a slot of length left +
// min(slack of row, slack of column), and the longest slot is a bottleneck matching in those
// numbers. Among the matchings of that length Assign selects one that finishes many pairs,
// large ones rather than small ones; on random demands this saves a third of the slots.
//
// There are at most n(n-1) slots: the rest, divided by its bound, lies on a face of the
// polytope of matrices with zero diagonal and sums <= 1, and every slot leaves it on a smaller
// face. If all sums are equal and n > 2, the limit is n^2-3n+2. A slot takes O(n^3).
func ShortestSlots(ctx context.Context, demand [][]float64) ([]Slot, error) {
	r, err := newResidual(demand)
	if err != nil {
		return nil, err
	}
	list := peel(r, func([]holding) bool { return ctx.Err() == nil })
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return r.slots(demand, list), nil
}

// peel divides the demand into slots. Before each of them it passes those so far to before,
// with r being what they leave. It continues as long as before returns true.
func peel(r *residual, before func([]holding) bool) []holding {
	n := r.n
	p := &peeler{
		residual: r,
		longest:  newBottleneck(n),
		length:   make([]int64, n*n),
		cost:     make([][]float64, n),
		limit:    r.bound,
	}
	for i := range p.cost {
		p.cost[i] = make([]float64, n)
	}
	home := make([]int, n*n) // 1 + the last slot that holds a pair
	spare := r.bound / sliverPart
	var list []holding
	for r.bound > 0 && !absorb(r, list, home, spare) {
		if !before(list) {
			return list
		}
		h := p.next()
		list = append(list, h)
		for i, j := range h.match {
			if j >= 0 {
				home[i*n+j] = len(list)
			}
		}
		r.take(h)
	}
	return list
}

// absorb lengthens the slots that already hold what is left of the pairs, if every pair has one
// and the slots become longer by at most spare in total. A slot that does not finish a pair is
// busy with it to the end.
func absorb(r *residual, list []holding, home []int, spare int64) bool {
	longer := make([]int64, len(list)+1)
	for k, units := range r.left {
		if units == 0 {
			continue
		}
		s := home[k]
		if s == 0 {
			return false
		}
		if units > longer[s] {
			if spare -= units - longer[s]; spare < 0 {
				return false
			}
			longer[s] = units
		}
	}
	for s, units := range longer[1:] {
		list[s].length += units
	}
	return true
}

// peeler finds one slot after another.
type peeler struct {
	*residual
	longest *bottleneck
	length  []int64     // of the longest slot that a pair can be part of
	cost    [][]float64 // of a pair, for the choice among matchings
	limit   int64       // length of the last slot: the next is no longer
}

// These value pairs in the choice among matchings. A pair that the slot finishes counts between
// finished and finished+1, in proportion to what is left of it.
const (
	finished = 3.0
	begun    = 1.0 / 64
)

// next returns the longest slot that the rest allows.
func (p *peeler) next() holding {
	n := p.n
	for i := range n {
		for j := range n {
			p.length[i*n+j] = p.left[i*n+j] + min(p.slack[i], p.slack[n+j])
		}
	}
	p.limit = p.longest.match(p.length, p.limit)
	for i := range n {
		for j := range n {
			k := i*n + j
			cost := 0.0
			switch {
			case p.length[k] < p.limit:
				cost = math.Inf(1)
			case p.left[k] > p.limit:
				cost = -begun
			case p.left[k] > 0:
				cost = -finished - float64(p.left[k])/float64(p.limit)
			}
			p.cost[i][j] = cost
		}
	}
	a, err := Assign(p.cost)
	if err != nil {
		panic("flow: " + err.Error()) // p.longest has just found an assignment
	}
	for i, j := range a.Columns {
		if p.left[i*n+j] == 0 {
			a.Columns[i] = -1
		}
	}
	return holding{match: a.Columns, length: p.limit}
}
