package strategy

import (
	"context"

	"github.com/lightpath-net/lightpath/planner/exchange/jumpset"
	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/rounds"
	"github.com/lightpath-net/lightpath/planner/exchange/routing"
)

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
	return &paperSkewed{skewed: s}
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
	even := &paperPorts{uniform: uniform{nodes: s.nodes, ports: s.ports, each: 1, name: Paper, hops: model.LoadHops}}
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
func shiftContraction(ctx context.Context, nodes, d int) (*rounds.Contraction, error) {
	t := &rounds.Circulants{Nodes: nodes}
	cover := jumpset.NewCoverage(nodes)
	for _, j := range rounds.ShiftOrder(nodes)[:d] {
		t.Add([]int{j})
		cover.Add(j)
	}
	return &rounds.Contraction{Topologies: t, Hops: cover.Hops, By: cover.By}, ctx.Err()
}

// placed finds places for the nodes and puts the ways in order.
func (s *paperSkewed) placed(c *rounds.Contraction) *draft {
	t := c.Topologies
	at := routing.Relabel(s.demand, func(p, q int) int { return int(c.Hops[t.Pair(p, q)]) })
	stages := make([][][]int, t.Stages())
	for i := range stages {
		stages[i] = routing.Placed(t.Circuits(i), at)
	}
	return scheduled(routing.ScheduleWays(s.name, s.ports, stages, s.demand, func(u, v, _ int) []model.Leg {
		pair := t.Pair(at[u], at[v])
		stage := c.By[pair]
		legs := make([]model.Leg, c.Hops[pair])
		for h, p := range t.Trip(int(stage), pair).Ports {
			legs[h] = model.Leg{Stage: stage, Port: p*int32(s.nodes) + int32(u), Hops: 1}
			u = stages[stage][p][u]
		}
		return legs
	}))
}
