// Package planning implements the command plan: it finds the fastest plan for a request, verifies
// it, compares it with plans that never or always reconfigure, and simulates it packet by packet.
package planning

import (
	"context"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/internal/threads"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/portfolio"
)

// fastest returns the plan that is fastest in the model.
func (r *PlanRequest) fastest(ctx context.Context, p planner.Planner, e *command.Run) (*plan.Plan, error) {
	return r.Asked().Fastest(ctx, p, e.Search)
}

// Plan makes a plan, verifies it, and simulates it and its baselines packet by packet. An error
// that wraps planner.ErrInfeasible means that there is no plan; any other means that the request
// is invalid.
func Plan(ctx context.Context, r PlanRequest, options ...command.Option) (*plan.Plan, error) {
	return PlanIn(ctx, r, command.NewRun(options))
}

// PlanIn is Plan for a command that has already combined its options.
func PlanIn(ctx context.Context, r PlanRequest, e *command.Run) (*plan.Plan, error) {
	r.Operations = slices.Clone(r.Operations)
	r.Fabric, r.planners = e.Fabric(r.Fabric), e.Planners()
	if err := r.Complete(); err != nil {
		return nil, err
	}
	registry := e.Planners(r.asked()...)
	e = e.Searching(e.Search.With(func(o *portfolio.Options) { o.Planners = registry }))
	p, err := registry.Lookup(r.Planner)
	if err != nil {
		return nil, field.In("planner", err)
	}
	if err := r.untaken(p, registry); err != nil {
		return nil, err
	}
	if Severed(&r.Fabric, r.Operations) {
		return nil, r.blameFabric(planner.ErrInfeasible)
	}
	choose := r.fastest
	if r.ChooseBy == ChooseBySimulated {
		choose = r.fastestInPackets
	}
	var near runners
	if !e.Bare && r.Planner == collective.Auto {
		e = e.Searching(e.Search.With(func(o *portfolio.Options) { o.Made = near.add }))
	}
	made, err := choose(ctx, p, e)
	if err != nil {
		return nil, r.interrupted(ctx, e, r.blameFabric(err))
	}
	e.Found(made)
	e = e.Searching(e.Search.Unseen()) // from here on, plans are baselines
	made = e.Know(made)
	made, err = r.finish(ctx, made, near, e)
	return made, r.interrupted(ctx, e, err)
}

// interrupted reports the best plan so far if the context has ended.
func (r *PlanRequest) interrupted(ctx context.Context, e *command.Run, err error) error {
	return e.Unfinished(ctx, err, func() (any, string) {
		best, how := e.Best(ctx)
		if best == nil {
			return nil, how
		}
		return best, how
	})
}

// finish verifies a plan and adds its packet time and, unless the caller does not want them, its
// baselines; near are plans that came close in the model. It verifies the plan while it makes
// the baselines.
func (r *PlanRequest) finish(ctx context.Context, made *plan.Plan, near runners, e *command.Run) (*plan.Plan, error) {
	raiseBound(made)
	if e.Bare {
		err := command.Prove(ctx, made)
		switch {
		case err != nil:
			return nil, BlamePattern(r.Pattern, err)
		case r.Simulate:
			err = r.simulatePlan(ctx, made)
		}
		return made, err
	}
	var extremes []portfolio.Extreme
	var wrong, err error
	proven, refuted := context.WithCancel(ctx)
	defer refuted()
	threads.Each(ctx, 2, func(i int) {
		if i == 0 {
			if wrong = command.Prove(ctx, made); wrong != nil {
				refuted()
			}
			return
		}
		extremes, err = r.compared(proven, made, e)
	})
	if wrong != nil {
		return nil, BlamePattern(r.Pattern, wrong)
	}
	if err != nil {
		return made, err
	}
	if faster := r.overtaking(made, extremes); faster != nil {
		raiseBound(faster)
		if err := command.Prove(ctx, faster); err != nil {
			return nil, err
		}
		made = faster
	}
	return made, r.noteExtremes(ctx, made, extremes, near, e)
}

// raiseBound raises the bound of a plan to that of its operation: what no algorithm can beat, the
// plan's own algorithm cannot beat either.
func raiseBound(p *plan.Plan) {
	if p.Bound > 0 {
		p.Bound = max(p.Bound, min(p.OperationBound().Total(), p.Cost.Total()))
	}
}
