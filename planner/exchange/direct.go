package exchange

import "context"

// direct is the strategy that reconfigures for every k offsets: no chunk makes more
// than one hop, and the number of topologies is the largest that helps.
type direct struct {
	uniform
	order []int // all offsets
}

func newDirect(p *Problem) solver {
	u, ok := newUniform(p, Direct, loadHops)
	switch {
	case ok && !p.Duplex:
		return &direct{u, counts(u.nodes - 1)}
	case ok && u.ports%2 == 0:
		return &direct{u, bothWays(u.nodes)}
	case p.Duplex:
		return newDirectDuplex(p)
	}
	return newDirectSkewed(p)
}

// bothWays returns 1, n-1, 2, n-2, ..: every offset beside the one that leads back. For an
// even number of nodes n/2 comes last, which leads back itself.
func bothWays(nodes int) []int {
	var order []int
	for o := 1; 2*o <= nodes; o++ {
		if order = append(order, o); 2*o < nodes {
			order = append(order, nodes-o)
		}
	}
	return order
}

func (s *direct) draft(_ context.Context, d, _ int) (*draft, error) {
	if d != s.limit() {
		return nil, nil
	}
	r := &routing{group: Rotations(s.nodes), ports: s.ports, legs: make([][]leg, s.nodes)}
	for i, o := range s.order {
		stage, port := i/s.ports, i%s.ports
		if port == 0 {
			r.generators = append(r.generators, nil)
		}
		r.generators[stage] = append(r.generators[stage], o)
		r.legs[o] = []leg{{int32(stage), int32(port), 1}}
	}
	return s.routed(r), nil
}
