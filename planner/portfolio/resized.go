package portfolio

import (
	"context"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/resized"
	"github.com/lightpath-net/lightpath/units"
)

// resizedBy returns a finder of plans for other numbers of GPUs by the best of some planners that
// make their own steps. It first asks for the fastest plan at the delay of the request. Only if
// that is within the limit does it find the plans that are the fastest for some delay.
func resizedBy(all planner.Registry) resized.Finder {
	return func(ctx context.Context, nodes int, of planner.Request) ([]*plan.Plan, error) {
		r := &Request{Fabric: of.Fabric, Operations: []collective.Operation{{Op: of.Collective.Op, Size: of.Size}}}
		r.Fabric.Nodes = nodes
		if err := r.Fabric.Validate(); err != nil {
			return nil, planner.ErrInfeasible
		}
		s := searchFor(all, of)
		s.scope.composed, s.scope.whole = true, true
		if p, err := r.Fastest(ctx, all.Best(), s.within(of.Limit)); err != nil || of.Limit > 0 && p.Cost.Total() >= of.Limit {
			return nil, err
		}
		r.Fabric.Reconfig, r.Fabric.Overlap = fabric.Reconfig{Model: fabric.Constant}, fabric.Overlap{}
		key := resizedKey{of.Collective.Op, r.Fabric.Key(), of.Size}
		found := planner.Kept(of.Kept, key, func() (derivedFrom, bool) {
			plans, err := r.forAnyDelay(ctx, all.Best(), s)
			return derivedFrom{plans, err}, ctx.Err() == nil
		})
		return found.plans, found.err
	}
}

// resizedKey is everything that plans to resize depend on.
type resizedKey struct {
	op     collective.Op
	fabric fabric.Key
	size   units.Bytes
}
