package strategy

import (
	"context"

	"github.com/lightpath-net/lightpath/planner/exchange/rounds"
	"github.com/lightpath-net/lightpath/planner/exchange/routing"
)

// paperSkewed is the paper's strategy for uneven demands (section 4.4): the topologies and
// routes of the uniform demand, with nodes relabelled. The paper relabels to bring large flows
// into the same rounds. This implementation instead places nodes that exchange much data few
// hops apart, and moves chunks as soon as they can move rather than in rounds, which is no
// slower.
type paperSkewed struct {
	skewed
	sequences []*sequence // by base, with several ports
}

func newPaperSkewed(p *Problem) solver {
	s, ok := newSkewed(p, Paper, false)
	if !ok {
		return nil
	}
	even := paperPorts{uniform: uniform{nodes: s.nodes}}
	x := &paperSkewed{skewed: s}
	for base := range even.bases() {
		x.sequences = append(x.sequences, newSequence(s.nodes, s.ports, base))
	}
	return x
}

func (s *paperSkewed) candidates(ctx context.Context, d int, worth func(slots int) bool, visit visitor) error {
	if s.ports == 1 {
		return s.placed(ctx, rounds.NewShifts(s.nodes, d), worth, visit)
	}
	for _, sequence := range s.sequences {
		c, err := sequence.of(ctx, d)
		if err != nil {
			return err
		}
		if c == nil {
			continue
		}
		if err := s.placed(ctx, c, worth, visit); err != nil {
			return err
		}
	}
	return nil
}

// placed finds places for the nodes. If circuits have failed, it finds new routes.
func (s *paperSkewed) placed(ctx context.Context, c *rounds.Contraction, worth func(slots int) bool, visit visitor) error {
	hops := c.Hops(s.nodes)
	if !s.faults.Any() && !worth(s.between(hops)-1) { // the bound is rounded up
		return nil
	}
	at, stages, err := s.place(ctx, c.Stages(), hops, 0)
	if err != nil {
		return err
	}
	if s.faults.Any() {
		return s.routed(ctx, stages, worth, visit)
	}
	f := &routing.Flows{Nodes: s.nodes, Ports: s.ports, Stages: stages}
	trips := c.Trips()
	for u := range s.nodes {
		for v := range s.nodes {
			if amount := s.demand.Count(u, v); amount > 0 {
				stage, ports := trips(at[u], at[v])
				f.Parts = append(f.Parts, routing.Part{Src: int32(u), Dst: int32(v), Amount: amount, Hops: hopsAlong(stages[stage], stage, u, ports)})
			}
		}
	}
	made, err := s.flowing(ctx, f)
	if err != nil || made == nil || !worth(made.Slots) {
		return err
	}
	return visit(made)
}
