package staged

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/envelope"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged/pass"
	"github.com/lightpath-net/lightpath/planner/staged/pool"
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
	"github.com/lightpath-net/lightpath/units"
)

// extreme is a strategy without choices: one pass over the steps bounds its time before anything
// is routed.
type extreme struct {
	strategy
	force force
	// least returns a quick lower bound in ns, and how many matchings steps are divided into; nil:
	// neither is known.
	least func(w *pricing.Workload) (least float64, matchings int)
}

// force says which topology every step must have.
type force func(ctx context.Context, r *planner.Request, v *variants) (*pass.Forced, error)

func newExtreme(name, about string, traits planner.Traits, f force) extreme {
	return extreme{strategy: strategy{name: name, about: about, choose: f.choose, traits: traits}, force: f}
}

// Traits implements planner.Described.
func (s extreme) Traits() planner.Traits {
	t := s.strategy.Traits()
	t.Bound, t.Least, t.BoundLine = s.bound, s.leastTime, s.boundLine
	return t
}

// choose routes every step over its topology.
func (f force) choose(ctx context.Context, r *planner.Request, v *variants) (*pass.Schedule, error) {
	x, err := f(ctx, r, v)
	if err != nil {
		return nil, err
	}
	s, err := x.Search(ctx, r)
	return s, x.Blame(err)
}

// static puts every step on the base topology.
func static(_ context.Context, r *planner.Request, v *variants) (*pass.Forced, error) {
	p := pool.New(&r.Fabric)
	if _, err := p.AddBase(v.whole); err != nil {
		return nil, err
	}
	return &pass.Forced{Work: v.whole, Pool: p.Candidates, Only: func(int) int { return 0 }, Blame: func(err error) error {
		if isInfeasible(err) {
			err = fmt.Errorf("%w: %s does not connect the pairs of every step", planner.ErrInfeasible, p.Candidates[0].Topology().Name())
		}
		return err
	}}, nil
}

// everyStep puts every step on circuits that match it.
func everyStep(ctx context.Context, r *planner.Request, v *variants) (*pass.Forced, error) {
	w, err := v.matched(ctx)
	if err != nil {
		return nil, err
	}
	p := pool.New(&r.Fabric)
	own, ok := p.AddOwn(w)
	if !ok {
		if own, err = p.AddEveryMatched(ctx, w); err != nil {
			return nil, err
		}
	}
	return &pass.Forced{Work: w, Pool: p.Candidates, Only: func(step int) int { return own[step] }, Blame: func(err error) error { return err }}, nil
}

// mostDivided limits the matchings of a schedule that is bounded by dividing its steps, times the
// GPUs. Each matching is a graph: an allgather around a ring of 16384 two-way GPUs with four ports
// has 4096, which take 5 GB.
const mostDivided = 1 << 24

// bound is planner.Traits.Bound.
func (s extreme) bound(ctx context.Context, r planner.Request) (least, most units.Time, err error) {
	if err := r.Validate(); err != nil {
		return 0, 0, err
	}
	r.Progress = nil
	if o := r.Fabric.Overlap.Kind; o != fabric.OverlapPorts && o != fabric.OverlapCircuits {
		v := newVariants(&r)
		if s.least != nil {
			// Dividing steps takes long, which is in vain if other steps are faster.
			least, matchings := s.least(v.whole)
			if r.Beyond(units.Time(least)) != nil || matchings > mostDivided/r.Fabric.Nodes {
				return units.Time(least), units.Time(math.Inf(1)), nil
			}
		}
		g, err := s.glimpse(ctx, &r, v)
		if err != nil {
			return 0, 0, err
		}
		if r.Beyond(units.Time(g.Total)) != nil {
			return units.Time(g.Total), units.Time(math.Inf(1)), nil // it has lost, and routing takes long
		}
		most, err := g.Most(ctx)
		return units.Time(g.Total), units.Time(most), err
	}
	r.Limit = math.SmallestNonzeroFloat64 // give up after the first pass
	chosen, err := s.choose(ctx, &r, newVariants(&r))
	var beyond *planner.Beyond
	switch {
	case errors.As(err, &beyond):
		return beyond.Least, units.Time(math.Inf(1)), nil
	case err != nil:
		return 0, 0, err
	}
	return units.Time(chosen.Total), units.Time(chosen.Total), nil
}

// leastTime is planner.Traits.Least.
func (s extreme) leastTime(ctx context.Context, r planner.Request) (units.Time, error) {
	if o := r.Fabric.Overlap.Kind; o == fabric.OverlapPorts || o == fabric.OverlapCircuits {
		least, _, err := s.bound(ctx, r)
		return least, err
	}
	if err := r.Validate(); err != nil {
		return 0, err
	}
	r.Progress = nil
	g, err := s.glimpse(ctx, &r, newVariants(&r))
	if err != nil {
		return 0, err
	}
	return units.Time(g.Total), nil
}

// glimpse returns the schedule with what is known of its steps without linear programs.
func (s extreme) glimpse(ctx context.Context, r *planner.Request, v *variants) (*pass.Schedule, error) {
	x, err := s.force(ctx, r, v)
	if err != nil {
		return nil, err
	}
	g, err := x.Estimate(ctx)
	return g, x.Blame(err)
}

// boundLine is planner.Traits.BoundLine.
func (s extreme) boundLine(ctx context.Context, r planner.Request) (least, most envelope.Line, ok bool, err error) {
	if _, uniform := r.Fabric.UniformWait(); !uniform {
		return least, most, false, nil
	}
	r.Fabric.Reconfig.Base = 0
	if err := r.Validate(); err != nil {
		return least, most, true, err
	}
	g, err := s.glimpse(ctx, &r, newVariants(&r))
	if err != nil {
		return least, most, true, err
	}
	ceiling, err := g.Most(ctx)
	if err != nil {
		return least, most, true, err
	}
	changes, err := g.Charged()
	barriers := float64(changes) * float64(r.Fabric.LeastBarrier())
	least = envelope.Line{Fixed: g.Total - barriers, Slope: float64(changes)}
	most = envelope.Line{Fixed: ceiling - barriers, Slope: float64(changes)}
	return least, most, true, err
}

// Baselines returns the times of static and every-step for the request's algorithm.
func Baselines(ctx context.Context, r planner.Request) (plan.Baselines, error) {
	return baselines(ctx, r, newVariants(&r))
}

// baselines prices the two extremes for the same algorithm. It leaves static out if its steps
// would be routed GPU by GPU among very many.
func baselines(ctx context.Context, r planner.Request, v *variants) (plan.Baselines, error) {
	r.Progress, r.Limit = nil, 0
	var b plan.Baselines
	ends := []struct {
		force force
		into  *units.Time
	}{{static, &b.Static}, {everyStep, &b.EveryStep}}
	if base, err := r.Fabric.BaseTopology(); err == nil && v.whole.SymmetricOnly() {
		alike := pricing.LooksAlike(base)
		if slices.ContainsFunc(r.Collective.Steps, func(s collective.Step) bool { return !alike(s) }) {
			ends = ends[1:]
		}
	}
	for _, end := range ends {
		s, err := end.force.choose(ctx, &r, v)
		switch {
		case err == nil:
			*end.into = units.Time(s.Total)
		case !isInfeasible(err):
			return b, err
		}
	}
	return b, nil
}
