package lightpath

import (
	"context"

	"github.com/lightpath-net/lightpath/plan"
)

// baselines returns the times of the fastest plan that does not rewire and of the fastest that
// rewires before every step, whatever their algorithms: those that Plan compares with, also
// where only one algorithm is compared, and what the first is the fastest of.
func (r *CompareRequest) baselines(ctx context.Context, e *environment) (b plan.Baselines, among string, err error) {
	asked := PlanRequest{Pattern: r.Pattern, Fabric: r.Fabric, Planner: Auto}
	if r.Pattern == nil {
		asked.Operations = []Operation{r.Operation}
	}
	open := asked.anyAlgorithm()
	if err := open.Complete(); err != nil {
		return b, "", err
	}
	own := *e
	own.registry = open.planners(e)
	extremes, err := open.extremes(ctx, nil, &own)
	for _, x := range extremes {
		b.Set(x.role, x.Cost.Total())
		among += x.among
	}
	return b, among, err
}
