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

// This file ensures that the fastest plan that does not reconfigure is the same whoever asks and
// whatever the delay is. Above mostExact GPUs the routes of an all-to-all are approximate, and
// there are too many sets of circuits to examine all. So what a search finds depends on where it
// starts and on its limit, and thereby on the delay. Therefore a single search, which does not
// know the delay, gives the answer. It is the static baseline, and also the plan of the best of
// all planners if that plan does not reconfigure.

// mostExact is the number of GPUs up to which routes are exact.
const mostExact = 64

// mostTied is the number of GPUs up to which plans are made that are only as fast as the plan that
// does not reconfigure: one of them may be faster packet by packet (plan.Rival). With more GPUs
// that takes long, and few of their plans are simulated.
const mostTied = 512

// settled reports whether a single search gives the fastest plan of a request that does not
// reconfigure. Initial circuits must be free, since setting them up would otherwise be part of
// the plan, and steps on them must not be charged. That search covers everything that the best of
// all planners examines: above mostExchanged GPUs neither routes steps on every topology.
func (r *Request) settled() bool {
	f := &r.Fabric
	return r.uniformExchange() && (RoutesSteps(collective.AllToAll, f) || f.Nodes > mostExchanged) && r.Operations[0].Open() && f.Nodes > mostExact && f.Initial == fabric.InitialFree && f.Avoid.IsZero() && f.Charge == fabric.ChargeChanges
}

// Settled reports whether the best of all planners has one plan without reconfigurations for the
// request's all-to-all, whatever the delay.
func (r *Request) Settled(s *Search) bool { return r.settled() && !s.improves() }

// settledKey is everything that this search depends on.
type settledKey struct {
	fabric fabric.Key
	size   units.Bytes
}

// settledPlan is its result.
type settledPlan struct {
	*plan.Plan
	err error
}

// stayingSettled is Staying for a settled request. It plans once and remembers the result.
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

// staticOrFaster is Fastest with the best of all planners for a settled request: the faster of the
// plan that does not reconfigure, which it finds first, and the best plan that does.
func (r *Request) staticOrFaster(ctx context.Context, p planner.Planner, s *Search) (*plan.Plan, error) {
	within := s
	var static *plan.Plan
	if !s.options.Bare {
		var err error
		if static, err = r.stayingPlan(ctx, s); err != nil {
			return nil, err
		}
		if limit := s.scope.limit; static != nil && (limit == 0 || static.Cost.Total() < limit) {
			within = s.within(static.Cost.Total())
			if r.Fabric.Nodes > mostTied {
				within = s.within(planner.Below(static.Cost.Total()))
			}
		}
	}
	made, err := r.contest(ctx, p, within)
	stays := err == nil && made.Reconfigurations == r.Fabric.SetUps()
	if static == nil && stays { // it was not asked for before
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

// stayingPlan is Staying; it returns nil if there is no plan or only its time is known.
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

// sameAlgorithm adds to a plan the times of its algorithm with the planners of baselines, as the
// search that made it would have done.
func (r *Request) sameAlgorithm(ctx context.Context, made *plan.Plan, s *Search) error {
	if s.options.Bare {
		return nil
	}
	p, err := s.Planners().Lookup(made.Planner)
	if err != nil {
		return nil // a planner that only baselines use
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
