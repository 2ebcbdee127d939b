package strategy

import (
	"context"

	"github.com/lightpath-net/lightpath/planner/exchange/jumpset"
	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/routing"
)

// direct is the strategy that reconfigures for every k offsets: no chunk makes more
// than one hop, and the number of topologies is the largest that helps.
type direct struct {
	uniform
	order []int // all offsets
}

func newDirect(p *Problem) solver { return newWrapped(p, newUnwrapped(p)) }

// newUnwrapped is newDirect with every chunk in one stage.
func newUnwrapped(p *Problem) solver {
	u, ok := newUniform(p, Direct, model.LoadHops)
	switch {
	case ok && !p.Duplex:
		return &direct{uniform: u, order: jumpset.UpTo(u.nodes - 1)}
	case ok && u.ports%2 == 0:
		return &direct{uniform: u, order: bothWays(u.nodes)}
	case p.Duplex:
		return newDirectDuplex(p)
	}
	return newDirectSkewed(p)
}

// bothWays returns 1, n-1, 2, n-2, ..: every offset next to its opposite. For an even number of
// nodes n/2 comes last, which is its own opposite.
func bothWays(nodes int) []int {
	var order []int
	for o := 1; 2*o <= nodes; o++ {
		if order = append(order, o); 2*o < nodes {
			order = append(order, nodes-o)
		}
	}
	return order
}

func (s *direct) candidates(_ context.Context, d int, _ func(slots int) bool, visit visitor) error {
	if d != s.limit() {
		return nil
	}
	r := &routing.Ways{Group: model.Rotations(s.nodes), Ports: s.ports, Legs: make([][]model.Leg, s.nodes)}
	for i, o := range s.order {
		stage, port := i/s.ports, i%s.ports
		if port == 0 {
			r.Generators = append(r.Generators, nil)
		}
		r.Generators[stage] = append(r.Generators[stage], o)
		r.Legs[o] = []model.Leg{{Stage: int32(stage), Port: int32(port), Hops: 1}}
	}
	return visit(s.routed(r))
}
