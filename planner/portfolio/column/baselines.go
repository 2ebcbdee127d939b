package column

import (
	"context"
	"errors"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/portfolio"
	"github.com/lightpath-net/lightpath/units"
)

// baselines stores the times of one of the two extremes in the baselines of each cell.
func baselines(into []plan.Baselines, role plan.Baseline, times []units.Time) {
	for i, t := range times {
		if t < inf {
			into[i].Set(role, t)
		}
	}
}

// same returns the times of static and every-step with an algorithm, on all ports.
func (s *Search) same(ctx context.Context, c *Column, algorithm string) ([]plan.Baselines, error) {
	into := make([]plan.Baselines, len(c.Delays))
	search := s.search.WithAllPorts()
	for _, role := range [...]plan.Baseline{plan.Static, plan.EveryStep} {
		times, err := s.times(ctx, c, algorithm, role, search)
		if err != nil {
			return nil, err
		}
		baselines(into, role, times)
	}
	return into, nil
}

// times returns the times of a baseline's fastest plans for a column, +Inf if there is none.
func (s *Search) times(ctx context.Context, c *Column, algorithm string, role plan.Baseline, search *portfolio.Search) ([]units.Time, error) {
	best := newResults(len(c.Delays), 0).answers
	var err error
	if p := search.Planners().Baseline(role); p != nil {
		var found []Answer
		if found, _, err = s.fastest(ctx, c.by(algorithm), p, search, 0); found != nil {
			best = found
		}
	}
	times := make([]units.Time, len(best))
	for i := range best {
		times[i] = best[i].Total
	}
	return times, err
}

// extremes returns the times of the fastest plans of any planner that do not reconfigure, and of
// the fastest every-step plans of any algorithm.
func (s *Search) extremes(ctx context.Context, c *Column) ([]plan.Baselines, error) {
	into := make([]plan.Baselines, len(c.Delays))
	static, err := s.static(ctx, c)
	if err != nil {
		return nil, err
	}
	everyStep, err := s.times(ctx, c, collective.Auto, plan.EveryStep, s.search)
	if err != nil {
		return nil, err
	}
	baselines(into, plan.Static, static)
	baselines(into, plan.EveryStep, everyStep)
	return into, nil
}

// Static returns the times of the fastest plans of any planner that do not reconfigure; 0 if
// there is none.
func (s *Search) Static(ctx context.Context, c *Column) ([]units.Time, error) {
	times, err := s.static(ctx, c)
	for i := range times {
		if times[i] == inf {
			times[i] = 0
		}
	}
	return times, err
}

// static is Static with +Inf if there is no plan.
func (s *Search) static(ctx context.Context, c *Column) ([]units.Time, error) {
	_, uniform := c.Fabric.UniformWait()
	asked := c.by(collective.Auto).request(0)
	if asked.Settled(s.search) || !asked.OnlyContest(s.search) || c.Fabric.Nodes > portfolio.MostWhole || c.Fabric.Charge != fabric.ChargeChanges ||
		!uniform && c.Fabric.Initial == fabric.InitialDark {
		return s.staticEach(ctx, c)
	}
	times, err := s.times(ctx, c, collective.Auto, plan.Static, s.search)
	if err == nil {
		err = s.staying(ctx, c, times)
	}
	return times, err
}

// staticEach plans the cells one by one, because the time of the initial set-up depends on the
// circuits, there are many GPUs, steps pay for circuits that stay, or planning tries more than the
// ways of a contest. If nothing is set up, one cell stands for all, since plans without changes do
// not depend on the delay.
func (s *Search) staticEach(ctx context.Context, c *Column) ([]units.Time, error) {
	times := make([]units.Time, len(c.Delays))
	for i := range times {
		if i > 0 && c.Fabric.Initial != fabric.InitialDark && c.Fabric.Charge == fabric.ChargeChanges {
			times[i] = times[0]
			continue
		}
		made, err := c.request(i).AnyAlgorithm().Staying(ctx, nil, s.search)
		switch {
		case errors.Is(err, planner.ErrInfeasible):
			times[i] = inf
		case err != nil:
			return nil, err
		default:
			times[i] = made.Cost.Total()
		}
	}
	return times, nil
}

// staying improves the times of static with plans on other circuits that stay
// (portfolio.Request.Elsewhere), which take the same time at any delay. A fabric that is dark at
// the start sets circuits up once.
func (s *Search) staying(ctx context.Context, c *Column, times []units.Time) error {
	still, p, search, err := c.by(collective.Auto).request(0).Elsewhere(s.search)
	if err != nil {
		return nil // nothing is faster than the base
	}
	only := &Column{Operation: still.Operations[0], Fabric: still.Fabric, Delays: []units.Duration{still.Fabric.Reconfig.Base}}
	before := make([]units.Time, len(times)) // time before the first step
	best := newResults(1, 0)
	for i, t := range times {
		f := c.Cell(i)
		before[i] = bound.PerStep(&f, &collective.Collective{}, c.Operation.Size)
		best.begin(0, Answer{Total: min(best.answers[0].Total, t-before[i])})
	}
	ways, err := still.Ways(ctx, p, search)
	if err != nil {
		return ctx.Err() // nothing to improve with
	}
	if _, err := best.run(ctx, s.methods(ctx, only, ways)); err != nil {
		return err
	}
	if best.answers[0].Total >= fabric.Forbidding.Time() {
		return nil
	}
	for i := range times {
		times[i] = min(times[i], best.answers[0].Total+before[i])
	}
	return nil
}
