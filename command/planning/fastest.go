package planning

import (
	"context"

	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner/portfolio"
)

// Fastest completes a request and returns the plan that is fastest in the model. It is for
// commands that make many plans: it computes no baselines, does not verify the plan, and reports
// no progress.
func Fastest(ctx context.Context, r PlanRequest, e *command.Run) (*plan.Plan, error) {
	if err := r.Complete(); err != nil {
		return nil, err
	}
	p, err := e.Search.Planners().Lookup(r.Planner)
	if err != nil {
		return nil, field.In("planner", err)
	}
	alone := e.Search.With(func(o *portfolio.Options) { o.Progress, o.Bare = nil, true })
	return r.Asked().Fastest(ctx, p, alone)
}
