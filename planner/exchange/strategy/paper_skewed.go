package strategy

import (
	"context"

	"github.com/lightpath-net/lightpath/planner/exchange/model"
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
	even  paperPorts
	known []contraction // by base, the longest sequence so far
}

// contraction is a sequence of topologies with its length.
type contraction struct {
	stages int
	state  *rounds.Contraction
}

func newPaperSkewed(p *Problem) solver {
	s, ok := newSkewed(p, Paper, false)
	if !ok {
		return nil
	}
	even := paperPorts{uniform: uniform{nodes: s.nodes, ports: s.ports, each: 1, name: Paper, hops: model.LoadHops}}
	return &paperSkewed{skewed: s, even: even, known: make([]contraction, even.bases())}
}

func (s *paperSkewed) candidates(ctx context.Context, d int, worth func(slots int) bool, visit visitor) error {
	if s.ports == 1 {
		return s.placed(ctx, rounds.NewShifts(s.nodes, d), worth, visit)
	}
	for i := range s.known {
		c, err := s.contracted(ctx, i, d)
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

// contracted returns the contraction of a base to a sequence of d stages, like contracted of
// paperPorts. It continues from the last contraction if that has at most d stages.
func (s *paperSkewed) contracted(ctx context.Context, base, d int) (*rounds.Contraction, error) {
	k := &s.known[base]
	if k.stages > d {
		return s.even.contracted(ctx, base, d)
	}
	if k.stages == 0 {
		first, err := s.even.contracted(ctx, base, 1)
		if err != nil {
			return nil, err
		}
		*k = contraction{1, first}
	}
	for k.stages < d {
		if more, err := k.state.Contract(ctx); err != nil || !more {
			return nil, err
		}
		k.stages++
	}
	return k.state, nil
}

// placed finds places for the nodes. If circuits have failed, it finds new routes.
func (s *paperSkewed) placed(ctx context.Context, c *rounds.Contraction, worth func(slots int) bool, visit visitor) error {
	at, stages, err := s.place(ctx, c.Stages(), c.Hops(s.nodes), 0)
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
