package flow

import (
	"context"

	"github.com/lightpath-net/lightpath/topology"
)

// uniform returns what every node sends to every other, and false if that is not the same for
// all pairs.
func uniform(p Problem) (amount float64, ok bool) {
	n := p.Graph.Nodes()
	if len(p.Demands) == 0 || len(p.Demands)*p.Group.Order() != n*(n-1) {
		return 0, false
	}
	seen := map[int][]bool{} // destinations of the nodes that stand for their orbits
	amount = p.Demands[0].Amount
	for _, d := range p.Demands {
		k, home := p.Group.Locate(d.Src)
		if seen[home] == nil {
			seen[home] = make([]bool, n)
		}
		dst := p.Group.Back(k, d.Dst)
		if d.Amount != amount || seen[home][dst] {
			return 0, false
		}
		seen[home][dst] = true
	}
	return amount, true
}

// fewer returns a ladder with fewer demands for a step in which all nodes send the same to all
// others, if its program is above uniformSize or it has more than manyDemands. It also returns
// a function that converts routes of that ladder to routes of this one. Any automorphism of the
// graph leaves such a step invariant: it uses translations if they map all nodes to one
// another, otherwise the result of Automorphisms.
func (l *ladder) fewer(ctx context.Context, time func(Load) float64) (*ladder, func(context.Context, *Result) (*Result, error), error) {
	same := func(_ context.Context, r *Result) (*Result, error) { return r, nil }
	large, err := l.large()
	large = large || err == nil && l.unique == nil && !l.p.Exact && (len(l.cl.circuits)+1)*len(l.p.Demands) > uniformSize
	if err != nil || !large && (l.unique != nil || len(l.p.Demands) <= manyDemands) {
		return l, same, err
	}
	amount, ok := uniform(l.p)
	if !ok {
		return l, same, nil
	}
	if whole, ok := l.p.Graph.Symmetry(); ok {
		return l.translated(whole, amount)
	}
	if !large || dilates(time) {
		return l, same, nil
	}
	orbits, f, err := l.folded(ctx, amount)
	if err != nil || orbits == nil {
		return l, same, err
	}
	return orbits, func(ctx context.Context, r *Result) (*Result, error) { return l.unfold(ctx, f, r) }, nil
}

// manyDemands is the number of demands from which on translations are searched for even if the
// program is small: on a torus of 96 nodes, with the 4 rotations that the torus and an all-to-all
// share, it has 2280 demands with 145 rows and takes two seconds; under all translations, 95
// demands with 7 rows.
const manyDemands = 1 << 9

// translated is fewer for a group of translations that maps all nodes to one another. It does
// nothing if that has no more elements than the problem's group, or does not contain it.
func (l *ladder) translated(whole topology.Translations, amount float64) (*ladder, func(context.Context, *Result) (*Result, error), error) {
	same := func(_ context.Context, r *Result) (*Result, error) { return r, nil }
	n := l.p.Graph.Nodes()
	if whole.Order() <= l.p.Group.Order() {
		return l, same, nil
	}
	for _, k := range l.p.Group.Generators() {
		by, _ := whole.Locate(l.p.Group.Apply(k, 0))
		for u := range n {
			if whole.Apply(by, u) != l.p.Group.Apply(k, u) {
				return l, same, nil
			}
		}
	}
	p := l.p
	p.Group, p.Demands = whole, make([]Demand, n-1)
	for i := range p.Demands {
		p.Demands[i] = Demand{Src: 0, Dst: i + 1, Amount: amount}
	}
	first, err := newLadder(p)
	if err != nil {
		return nil, nil, err
	}
	first.known = l.known
	return first, func(_ context.Context, r *Result) (*Result, error) {
		o := orbits{group: whole, rep: make([]int, len(l.p.Demands)), by: make([]int, len(l.p.Demands))}
		for i, d := range l.p.Demands {
			k, _ := whole.Locate(d.Src)
			o.rep[i], o.by[i] = whole.Back(k, d.Dst)-1, k
		}
		spread := *r
		spread.Routes, spread.Symmetry = o.spreadRoutes(r.Routes), whole.Order()
		return &spread, nil
	}, nil
}
