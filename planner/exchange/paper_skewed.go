package exchange

import "context"

// paperSkewed is the paper's strategy for demands that differ (section 4.4): the topologies
// and ways of the uniform demand, with nodes relabelled. The paper relabels to bring large
// flows into the same rounds; here nodes that have much to send come few hops apart, and
// chunks move as soon as they can rather than in rounds, which is no slower.
type paperSkewed struct {
	skewed
}

func newPaperSkewed(p *Problem) solver {
	s, ok := newSkewed(p, Paper, false)
	if !ok {
		return nil
	}
	return &paperSkewed{s}
}

func (s *paperSkewed) draft(ctx context.Context, d, _ int) (*draft, error) {
	if s.ports == 1 {
		c, err := shiftContraction(ctx, s.nodes, d)
		if err != nil {
			return nil, err
		}
		return s.placed(c), nil
	}
	var best *draft
	even := &paperPorts{uniform: uniform{s.nodes, s.ports, 1, Paper, loadHops}}
	for i := range even.bases() {
		c, err := even.contracted(ctx, i, d)
		if err != nil {
			return nil, err
		}
		if c == nil {
			continue
		}
		if found := s.placed(c); best == nil || found.slots < best.slots {
			best = found
		}
	}
	return best, nil
}

// shiftContraction returns the first d shifts of the paper's order, offsets in the stage
// where they have the fewest hops.
func shiftContraction(ctx context.Context, nodes, d int) (*contraction, error) {
	t := &circulants{nodes: nodes}
	cover := newCoverage(nodes)
	for _, j := range shiftOrder(nodes)[:d] {
		t.add([]int{j})
		cover.add(j)
	}
	return &contraction{topologies: t, hops: cover.hops, by: cover.by}, ctx.Err()
}

// placed finds places for the nodes and puts the ways in order.
func (s *paperSkewed) placed(c *contraction) *draft {
	t := c.topologies
	at := relabel(s.demand, func(p, q int) int { return int(c.hops[t.pair(p, q)]) })
	stages := make([][][]int, t.stages())
	for i := range stages {
		stages[i] = placed(t.circuits(i), at)
	}
	return scheduled(scheduleWays(s.name, s.ports, stages, s.demand, func(u, v, _ int) []leg {
		pair := t.pair(at[u], at[v])
		stage := c.by[pair]
		legs := make([]leg, c.hops[pair])
		for h, p := range t.trip(int(stage), pair).ports {
			legs[h] = leg{stage, p*int32(s.nodes) + int32(u), 1}
			u = stages[stage][p][u]
		}
		return legs
	}))
}
