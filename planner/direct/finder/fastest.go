package finder

import (
	"context"
	"math/big"

	"github.com/lightpath-net/lightpath/topology"
)

// Fastest returns the topology of n nodes with degree ports that Choose would take from the
// Frontier, or one that is no slower, without computing the rest of the frontier. It skips a
// topology that would have to be built and checked if the cheapest breadth-first broadcast for its
// diameter already takes longer than a topology found before.
//
// Nothing is lost: a skipped topology takes longer than the result, and so does whatever it would
// have dominated; the smaller topologies from which others are expanded are searched as usual.
// Topologies that a skipped one would have excluded may now be tried, so the answer may be better.
// At 4096 nodes and 8 ports, two-way graphs of six steps are not checked, because a line graph of
// four takes less time in total.
func (m Machine) Fastest(ctx context.Context, n, degree int, opts Options, loads []Weighted) (Choice, error) {
	if err := m.validate(); err != nil {
		return Choice{}, err
	}
	times, bytes, err := totals(loads)
	if err != nil {
		return Choice{}, err
	}
	f := New(degree, opts) // of its own: what is left out must not be missing in a frontier
	f.goal = &goal{nodes: n, time: func(c Cost) *big.Rat { return m.time(c, times, bytes) }}
	points, err := f.Frontier(ctx, n)
	if err != nil {
		return Choice{}, err
	}
	return m.Choose(points, loads)
}

// goal is the one size for which a finder is to find the fastest topology, with what is known.
type goal struct {
	nodes int
	time  func(Cost) *big.Rat
	best  *big.Rat // of the topologies so far; nil: there is none
}

// met notes that there is a topology of that cost, if it is one of those that are asked for.
func (f *Finder) met(k key, c Cost) {
	if g := f.goal; g != nil && k.nodes == g.nodes && k.degree == f.degree && (k.twoWay || !f.opts.Bidirectional) {
		if t := g.time(c); g.best == nil || t.Cmp(g.best) < 0 {
			g.best = t
		}
	}
}

// beyond reports whether a topology that costs at least so much is too slow for the goal. Those
// of fewer ports leave the others idle (addIdle); of half the ports or fewer others are made.
func (f *Finder) beyond(k key, floor Cost) bool {
	g := f.goal
	if g == nil || g.best == nil || k.nodes != g.nodes || 2*k.degree <= f.degree {
		return false
	}
	if k.degree < f.degree {
		growth := big.NewRat(int64(f.degree), int64(k.degree))
		floor = Cost{floor.Steps, growth.Mul(growth, floor.Bandwidth)}
	}
	return g.time(floor).Cmp(g.best) > 0
}

// beyondDiameter is beyond for breadth-first broadcasts of a diameter.
func (f *Finder) beyondDiameter(k key, diameter int) bool {
	return f.goal != nil && f.beyond(k, f.floor(k, diameter))
}

// beyondMoore is beyond for those of any diameter that there can be.
func (f *Finder) beyondMoore(k key) bool {
	least, ok := topology.MooreDiameter(k.nodes, k.degree, k.twoWay)
	return ok && f.beyondDiameter(k, least)
}
