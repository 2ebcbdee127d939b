package exchange

import "context"

// relaySkewed is the strategy relay for demands that differ: the topologies of the uniform
// demand, with nodes placed so that those with much to send are few hops apart.
type relaySkewed struct {
	skewed
	even *relay
}

func newRelaySkewed(p *Problem) solver {
	s, ok := newSkewed(p, Relay, true)
	if !ok {
		return nil
	}
	return &relaySkewed{s, evenRelay(s.nodes, s.ports)}
}

// evenRelay is relay for one chunk between every two nodes.
func evenRelay(nodes, ports int) *relay {
	return &relay{uniform{nodes, ports, 1, Relay, relayHops}, newRelaySequence(nodes)}
}

func (s *relaySkewed) draft(ctx context.Context, d int) (*draft, error) {
	stages, _, err := s.topologies(ctx, d)
	if err != nil {
		return nil, err
	}
	return s.routed(ctx, stages)
}

// topologies returns the circuits of d stages, and the hops between nodes over all of them.
func (s *relaySkewed) topologies(ctx context.Context, d int) (stages [][][]int, hops [][]int, err error) {
	r, err := s.even.routing(ctx, d)
	if err != nil {
		return nil, nil, err
	}
	var jumps []int
	for _, generators := range r.generators {
		jumps = append(jumps, generators...)
	}
	dist := distancesOf(s.nodes, jumps).hops
	apart := func(p, q int) int { return int(dist[(q-p+s.nodes)%s.nodes]) }
	at := relabel(s.demand, apart)
	for _, generators := range r.generators {
		stages = append(stages, placed(rings(s.nodes, generators), at))
	}
	hops = make([][]int, s.nodes)
	for u := range hops {
		hops[u] = make([]int, s.nodes)
		for v := range hops[u] {
			hops[u][v] = apart(at[u], at[v])
		}
	}
	return stages, hops, nil
}

// rings returns the circuits of jumps.
func rings(nodes int, jumps []int) [][]int {
	circuits := make([][]int, len(jumps))
	for p, j := range jumps {
		circuits[p] = make([]int, nodes)
		for u := range nodes {
			circuits[p][u] = (u + j) % nodes
		}
	}
	return circuits
}
