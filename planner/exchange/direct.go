package exchange

import "context"

// direct is the strategy that reconfigures for every k offsets: no chunk makes more
// than one hop, and the number of topologies is the largest that helps.
type direct struct{ uniform }

func newDirect(p *Problem) solver {
	u, ok := newUniform(p, Direct, loadHops)
	if !ok {
		return newDirectSkewed(p)
	}
	return &direct{u}
}

func (s *direct) draft(_ context.Context, d int) (*draft, error) {
	if d != s.limit() {
		return nil, nil
	}
	r := &routing{group: Rotations(s.nodes), ports: s.ports, legs: make([][]leg, s.nodes)}
	for o := 1; o < s.nodes; o++ {
		stage, port := (o-1)/s.ports, (o-1)%s.ports
		if port == 0 {
			r.generators = append(r.generators, nil)
		}
		r.generators[stage] = append(r.generators[stage], o)
		r.legs[o] = []leg{{int32(stage), int32(port), 1}}
	}
	return s.routed(r), nil
}
