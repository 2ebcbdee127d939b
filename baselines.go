package lightpath

import (
	"context"
	"errors"

	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
)

// anyAlgorithm returns a request for the same with algorithms left open. A pattern has no
// other algorithm than its own.
func (r *PlanRequest) anyAlgorithm() *PlanRequest {
	any := *r
	any.Operations = make([]Operation, len(r.Operations))
	for i, o := range r.Operations {
		o.Algorithm = ""
		any.Operations[i] = o
	}
	return &any
}

// extremes returns the fastest plan without any rewiring and the fastest that rewires
// before every step, each nil where there is none.
func (r *PlanRequest) extremes(ctx context.Context, e *environment) ([]*plan.Plan, error) {
	quiet := *e
	quiet.progress, quiet.status, quiet.bare = nil, nil, true
	var list []*plan.Plan
	for _, name := range []string{"static", "every-step"} {
		p, err := e.registry.Lookup(name)
		if err != nil {
			continue // a registry without it
		}
		made, err := r.fastest(ctx, p, &quiet)
		switch {
		case errors.Is(err, planner.ErrInfeasible):
		case err != nil:
			return nil, err
		default:
			list = append(list, made)
		}
	}
	return list, nil
}

// compareWithExtremes notes what a plan is compared with: the fastest plan without any
// rewiring and the fastest that rewires before every step, whatever their algorithms, and
// how long the packets of all of them take.
func (r *PlanRequest) compareWithExtremes(ctx context.Context, made *plan.Plan, e *environment) error {
	extremes, err := r.anyAlgorithm().extremes(ctx, e)
	if err != nil {
		return err
	}
	for _, other := range extremes {
		made.Baselines.Set(other.Planner, other.Cost.Total())
	}
	if made.Baselines.Direct, err = staticDirect(ctx, made, e.registry); err != nil {
		return err
	}
	return r.simulateAll(ctx, made, extremes, e)
}
