package evaluation

import (
	"context"
	"errors"
	"math"

	"github.com/lightpath-net/lightpath/planner/exchange/strategy"
)

// blind is the division into matchings that does not know R, as in FAST.
const blind = "fast"

// curves holds, for each strategy, the numbers of topologies that it can use, with their slots.
// One such list serves every R.
type curves map[string][]strategy.Point

// method says how curves are made.
type method struct {
	seed   uint64
	points int  // of the sweep
	rounds bool // everything in rounds, as in the paper
	// published leaves out divisions into matchings that know R, which are not in the paper.
	published bool
	every     bool // every number of topologies, even if that takes long
}

// plan returns the curves of a setting.
func (m method) plan(ctx context.Context, s setting) (curves, error) {
	if m.rounds {
		return s.inRounds(ctx, m)
	}
	return s.curves(ctx, m)
}

// sampledNodes is the number of nodes from which uneven demands are planned for only some
// numbers of topologies, unless all are requested.
const sampledNodes = 32

// curves plans a setting with all strategies. Auto has the points of all others as well: it
// is the best of all.
func (s setting) curves(ctx context.Context, m method) (curves, error) {
	demand, err := s.demand(m.seed)
	if err != nil {
		return nil, err
	}
	_, equal := demand.Each()
	p := strategy.Problem{Demand: demand, Ports: s.ports}
	c := make(curves)
	sampled := !equal && !m.every && s.nodes >= sampledNodes
	for _, b := range []string{strategy.Direct, strategy.MixNet, strategy.Static, strategy.Rings, strategy.Paper, strategy.Auto} {
		p.Strategy = b
		if c[b], err = curve(ctx, p, sampled); err != nil {
			return nil, err
		}
	}
	if err := c.divide(ctx, p, equal, s.sweep(m.points)); err != nil {
		return nil, err
	}
	for _, b := range []string{strategy.Paper, strategy.Birkhoff, strategy.Direct, strategy.MixNet, strategy.Static, strategy.Rings} {
		c[strategy.Auto] = append(c[strategy.Auto], c[b]...)
	}
	return c, nil
}

// curve returns the points of a strategy. Strategies that fix their own number of topologies
// always have all their points.
func curve(ctx context.Context, p strategy.Problem, sampled bool) ([]strategy.Point, error) {
	if !sampled || p.Strategy != strategy.Paper && p.Strategy != strategy.Auto {
		return strategy.Curve(ctx, p, 0)
	}
	most := p.Demand.Nodes() - 1
	if p.Strategy == strategy.Auto {
		most = p.Demand.Nodes() / (2 * p.Ports)
	}
	var points []strategy.Point
	for d := 1; d <= most; d = max(d+1, d*3/2) {
		p.Stages = d
		found, err := solve(ctx, p)
		if err != nil {
			return nil, err
		}
		points = append(points, found...)
	}
	return points, nil
}

// divide adds the divisions into matchings: those for every R of the sweep, and the blind one.
// If all pairs have the same demand, the division is that into shifts, which is Direct.
func (c curves) divide(ctx context.Context, p strategy.Problem, equal bool, sweep []float64) error {
	if equal {
		c[strategy.Birkhoff], c[blind] = c[strategy.Direct], c[strategy.Direct]
		return nil
	}
	p.Strategy = strategy.Birkhoff
	var err error
	if c[blind], err = solve(ctx, p); err != nil {
		return err
	}
	c[strategy.Birkhoff] = c[blind]
	for _, p.R = range sweep {
		found, err := solve(ctx, p)
		if err != nil {
			return err
		}
		c[strategy.Birkhoff] = append(c[strategy.Birkhoff], found...)
	}
	return nil
}

// solve returns the point of the schedule that solves a problem with T = 1, or none.
func solve(ctx context.Context, p strategy.Problem) ([]strategy.Point, error) {
	p.T = 1
	s, err := strategy.Solve(ctx, p)
	if errors.Is(err, strategy.ErrInfeasible) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return []strategy.Point{{Stages: len(s.Stages), Slots: s.Slots(), Strategy: s.Strategy}}, nil
}

// offer is the cheapest point of some strategies at one R, with its time in slots.
type offer struct {
	strategy.Point
	time float64
}

// least returns the cheapest of the named strategies at a ratio of R and T, the first of
// equals. Without any schedule the time is infinite.
func (c curves) least(ratio float64, names ...string) offer {
	best := offer{time: math.Inf(1)}
	for _, name := range names {
		for _, p := range c[name] {
			if t := float64(p.Stages)*ratio + float64(p.Slots); t < best.time {
				best = offer{p, t}
			}
		}
	}
	return best
}
