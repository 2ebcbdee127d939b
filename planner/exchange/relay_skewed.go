package exchange

import "context"

// placedRelay is relay or cayley for demands that differ: the topologies of the uniform
// demand, with nodes placed so that those with much to send are few hops apart.
type placedRelay struct {
	skewed
	even func(ctx context.Context, d int) (*routing, error)
}

func newRelaySkewed(p *Problem) solver {
	s, ok := newSkewed(p, Relay, true)
	if !ok {
		return nil
	}
	return &placedRelay{s, evenRelay(s.nodes, s.ports).routing}
}

// evenRelay is relay for one chunk between every two nodes.
func evenRelay(nodes, ports int) *relay {
	return &relay{uniform{nodes, ports, 1, Relay, relayHops}, newRelaySequence(nodes)}
}

func (s *placedRelay) draft(ctx context.Context, d, below int) (*draft, error) {
	stages, _, err := s.topologies(ctx, d)
	if err != nil || stages == nil {
		return nil, err
	}
	return s.routed(ctx, stages, below)
}

// topologies returns the circuits of d stages, or nil if there are none, and the hops
// between nodes over all of them.
func (s *placedRelay) topologies(ctx context.Context, d int) (stages [][][]int, hops [][]int, err error) {
	r, err := s.even(ctx, d)
	if err != nil || r == nil {
		return nil, nil, err
	}
	between := r.hops()
	at := relabel(s.demand, func(p, q int) int { return between[p][q] })
	for _, generators := range r.generators {
		stages = append(stages, placed(r.circuits(generators), at))
	}
	hops = make([][]int, s.nodes)
	for u := range hops {
		hops[u] = make([]int, s.nodes)
		for v := range hops[u] {
			hops[u][v] = between[at[u]][at[v]]
		}
	}
	return stages, hops, nil
}

// hops returns the hops from every node to every other.
func (r *routing) hops() [][]int {
	n := r.group.Nodes()
	hops := make([][]int, n)
	for u := range hops {
		hops[u] = make([]int, n)
		for o, legs := range r.legs {
			v := r.group.Multiply(u, o)
			for _, l := range legs {
				hops[u][v] += int(l.hops)
			}
		}
	}
	return hops
}

// circuits returns the circuits of generators.
func (r *routing) circuits(generators []int) [][]int {
	circuits := make([][]int, len(generators))
	for p, g := range generators {
		circuits[p] = make([]int, r.group.Nodes())
		for u := range circuits[p] {
			circuits[p][u] = r.group.Multiply(u, g)
		}
	}
	return circuits
}

// rings returns the circuits of jumps.
func rings(nodes int, jumps []int) [][]int {
	r := routing{group: Rotations(nodes)}
	return r.circuits(jumps)
}
