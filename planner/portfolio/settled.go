package portfolio

import (
	"context"
	"errors"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// This file has one answer to the question for the fastest plan that does not rewire, whoever
// asks and whatever a change takes. Above mostExact GPUs the routes of an all-to-all are
// approximated, and there are too many circuits to look at all of them: what a search finds
// depends on where it begins and on what it knows to be too slow, and so on the delay. So there is
// one search, which does not know the delay. The plan that others are compared with is its
// answer, and so is the plan of the best of all planners where that does not rewire.

// mostExact is the number of GPUs up to which routes are not approximated.
const mostExact = 64

// settled reports whether the fastest plan of a request that does not rewire is that of one
// search. Circuits are free at the start, else what sets them up is part of the plan, and the steps
// on them pay nothing. That search
// ranges over all that the best of all planners looks at: above mostExchanged GPUs neither routes
// steps on every topology.
func (r *Request) settled() bool {
	f := &r.Fabric
	return r.uniformExchange() && (RoutesSteps(collective.AllToAll, f) || f.Nodes > mostExchanged) && r.Operations[0].Open() && f.Nodes > mostExact && f.Initial == fabric.InitialFree && f.Avoid.IsZero() && f.Charge == fabric.ChargeChanges
}

// Settled reports whether an all-to-all of a request by the best of all planners has one answer
// that does not rewire, at whatever delay.
func (r *Request) Settled(s *Search) bool { return r.settled() && !s.improves() }

// settledKey is what that search depends on.
type settledKey struct {
	fabric fabric.Key
	size   units.Bytes
}

// settledPlan is what it found.
type settledPlan struct {
	*plan.Plan
	err error
}

// stayingSettled is Staying for a settled request. It is made once and remembered.
func (r *Request) stayingSettled(ctx context.Context, s *Search) (*plan.Plan, error) {
	still := *r
	still.Fabric = Still(r.Fabric)
	s = s.Quiet().Unseen().within(0)
	found := planner.Kept(s.memory.kept, settledKey{still.Fabric.Key(), r.Operations[0].Size}, func() (settledPlan, bool) {
		p, err := still.stayingOf(ctx, s)
		return settledPlan{p, err}, ctx.Err() == nil
	})
	if found.err != nil {
		return nil, found.err
	}
	p := *found.Plan
	return &p, r.moved(ctx, &p)
}

// fastestSettled is Fastest of the best of all planners for a settled request: the faster of what
// does not rewire, found first, and of what does.
func (r *Request) fastestSettled(ctx context.Context, p planner.Planner, s *Search) (*plan.Plan, error) {
	within := s
	var static *plan.Plan
	if !s.options.Bare {
		var err error
		if static, err = r.stayingPlan(ctx, s); err != nil {
			return nil, err
		}
		if limit := s.scope.limit; static != nil && (limit == 0 || static.Cost.Total() < limit) {
			within = s.within(static.Cost.Total())
		}
	}
	made, err := r.fastestOne(ctx, p, within)
	stays := err == nil && made.Reconfigurations == r.Fabric.SetUps()
	if static == nil && stays { // else it is not asked for
		var err error
		if static, err = r.stayingPlan(ctx, s); err != nil {
			return nil, err
		}
	}
	switch {
	case static == nil, err == nil && !stays && made.Cost.Total() < static.Cost.Total():
		return made, err
	case err != nil && !errors.Is(err, planner.ErrInfeasible) && !errors.Is(err, planner.ErrBeyond):
		return nil, err
	case s.scope.limit > 0 && planner.Above(static.Cost.Total(), s.scope.limit):
		return nil, &planner.Beyond{Least: static.Cost.Total()}
	case err == nil:
		static.Among = made.Among
	}
	for _, tell := range []func(*plan.Plan){s.options.Better, s.options.Made} {
		if tell != nil {
			tell(static)
		}
	}
	return static, r.sameAlgorithm(ctx, static, s)
}

// stayingPlan is Staying; nil where there is no plan, or only its time is known.
func (r *Request) stayingPlan(ctx context.Context, s *Search) (*plan.Plan, error) {
	static, err := r.Staying(ctx, nil, s.Quiet())
	switch {
	case errors.Is(err, planner.ErrInfeasible):
		return nil, nil
	case err != nil:
		return nil, err
	case len(static.Stages) == 0:
		return nil, nil
	}
	return static, nil
}

// sameAlgorithm notes in a plan what its algorithm takes by the planners that others are compared
// with, as the search that made it would have.
func (r *Request) sameAlgorithm(ctx context.Context, made *plan.Plan, s *Search) error {
	if s.options.Bare {
		return nil
	}
	p, err := s.Planners().Lookup(made.Planner)
	if err != nil {
		return nil // of a planner that baselines alone have
	}
	compare := planner.TraitsOf(p).Compare
	if compare == nil {
		return nil
	}
	laid := made.Laid(ctx)
	request := s.Quiet().Ask(r.Fabric)
	request.Collective, request.Size = laid.Collective, laid.Size
	return compare(ctx, request, made)
}
