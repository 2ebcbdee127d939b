package lightpath

import (
	"context"
	"errors"

	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// baselines returns what a plan is compared with: the fastest plan without any rewiring and
// the fastest that rewires before every step, whatever their algorithms. A pattern has no
// other algorithm than its own.
func (r *PlanRequest) baselines(ctx context.Context, e *environment) (plan.Baselines, error) {
	any := *r
	any.Operations = make([]Operation, len(r.Operations))
	for i, o := range r.Operations {
		o.Algorithm = ""
		any.Operations[i] = o
	}
	quiet := *e
	quiet.progress, quiet.status = nil, nil
	quiet.timesOnly = true
	var b plan.Baselines
	for _, extreme := range []struct {
		planner string
		into    *units.Time
	}{{"static", &b.Static}, {"every-step", &b.EveryStep}} {
		p, err := e.registry.Lookup(extreme.planner)
		if err != nil {
			continue // a registry without it
		}
		made, err := any.fastest(ctx, p, &quiet)
		switch {
		case errors.Is(err, planner.ErrInfeasible):
		case err != nil:
			return b, err
		default:
			*extreme.into = made.Cost.Total()
		}
	}
	return b, nil
}
