package evaluation

import (
	"context"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/rounds"
	"github.com/lightpath-net/lightpath/planner/exchange/strategy"
)

// inRounds plans a setting as the paper does: its own rule and the baselines that have no
// schedule of their own move in rounds (section 5.1), with nodes placed so that large flows
// share rounds (section 4.4). FAST is a division into matchings, as elsewhere, and Auto is the
// paper's rule.
func (s setting) inRounds(ctx context.Context, m method) (curves, error) {
	demand, err := s.demand(m.seed)
	if err != nil {
		return nil, err
	}
	c := make(curves)
	if c[strategy.Paper], err = s.ruleInRounds(ctx, demand, m.every); err != nil {
		return nil, err
	}
	c[strategy.Auto] = c[strategy.Paper]
	for _, name := range []string{strategy.Static, strategy.Rings, strategy.MixNet} {
		list, err := strategy.Topologies(ctx, name, demand, s.ports)
		if err != nil {
			return nil, err
		}
		for _, circuits := range list {
			one, err := oneInRounds(ctx, circuits)
			if err != nil {
				return nil, err
			}
			if one == nil {
				continue // the topology does not connect all nodes
			}
			slots, err := placedInRounds(ctx, one, demand)
			if err != nil {
				return nil, err
			}
			c[name] = append(c[name], strategy.Point{Stages: 1, Slots: slots, Strategy: name})
		}
	}
	p := strategy.Problem{Demand: demand, Ports: s.ports, Strategy: strategy.Direct}
	if c[strategy.Direct], err = curve(ctx, p, false); err != nil {
		return nil, err
	}
	_, equal := demand.Each()
	sweep := s.sweep(m.points)
	if m.published {
		sweep = nil
	}
	return c, c.divide(ctx, p, equal, sweep)
}

// oneInRounds returns a topology with everything in rounds. Rings are circulants, on which jumps
// may be reordered.
func oneInRounds(ctx context.Context, circuits [][]int) (*rounds.Contraction, error) {
	n := len(circuits[0])
	var jumps []int
	for _, next := range circuits {
		for u, v := range next {
			if v < 0 || arithmetic.Offset(u, v, n) != (next[0]+n)%n {
				return rounds.NewGraph(ctx, circuits)
			}
		}
		jumps = append(jumps, next[0])
	}
	return rounds.NewJumps(ctx, n, jumps)
}

// placedInRounds returns the slots of a demand with nodes at the best places found.
func placedInRounds(ctx context.Context, c *rounds.Contraction, demand model.Demand) (int, error) {
	if each, equal := demand.Each(); equal {
		return c.Slots() * each, nil
	}
	at, err := c.Group(ctx, demand)
	if err != nil {
		return 0, err
	}
	return c.SlotsFor(demand, at), nil
}

// ruleInRounds returns the points of the paper's rule: with one port for its sequence of
// shifts, with more for the better of its two bases.
func (s setting) ruleInRounds(ctx context.Context, demand model.Demand, every bool) ([]strategy.Point, error) {
	most := arithmetic.CeilDiv(s.nodes-1, s.ports)
	var points []strategy.Point
	for d := 1; d <= most; {
		var list []*rounds.Contraction
		if s.ports == 1 {
			list = append(list, rounds.NewShifts(s.nodes, d))
		} else {
			for _, base := range []func(context.Context, int, int) (*rounds.Contraction, error){rounds.NewCirculants, rounds.NewKautz} {
				c, err := base(ctx, s.nodes, s.ports)
				if err != nil {
					return nil, err
				}
				more := true
				for i := 1; i < d && more; i++ {
					if more, err = c.Contract(ctx); err != nil {
						return nil, err
					}
				}
				if more {
					list = append(list, c)
				}
			}
		}
		for _, c := range list {
			slots, err := placedInRounds(ctx, c, demand)
			if err != nil {
				return nil, err
			}
			points = append(points, strategy.Point{Stages: d, Slots: slots, Strategy: strategy.Paper})
		}
		if _, equal := demand.Each(); equal || every || s.nodes < sampledNodes {
			d++
		} else {
			d = max(d+1, d*3/2)
		}
	}
	return points, nil
}
