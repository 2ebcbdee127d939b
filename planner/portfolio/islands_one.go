package portfolio

import (
	"context"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/islands"
	"github.com/lightpath-net/lightpath/units"
)

// mostInside is the number of GPUs of the one island up to which every planner plans within it.
const mostInside = 1 << 6

// plansInside reports whether all planners plan within the one island that has all GPUs.
func (x *onIslands) plansInside() bool {
	best := x.planner == nil || planner.TraitsOf(x.planner).Best
	return best && x.Fabric.Islands() == 1 && x.Fabric.Avoid.IsZero() && x.Fabric.Nodes <= mostInside && len(x.Operations) == 1 && x.Operations[0].GPUs == nil
}

// switched tries plans that treat the island's switch as one whose circuits change in no time.
func (x *onIslands) switched(ctx context.Context) {
	all := x.search.Planners().Best()
	if all == nil || !x.plansInside() {
		return
	}
	for _, flat := range islands.Switched(&x.Fabric) {
		if ctx.Err() != nil {
			return
		}
		other := *x.Request
		other.Fabric = flat
		made, err := other.Fastest(ctx, all, x.within())
		if err == nil {
			made, err = islands.Alone(ctx, made, &x.Fabric)
		}
		if err == nil {
			x.take(ctx, made, nil)
		}
	}
}

// onBothTiers tries plans that send some of the data over circuits while the island sends the rest.
func (x *onIslands) onBothTiers(ctx context.Context) {
	if !x.plansInside() || x.Operations[0].Demand != nil {
		return
	}
	size := x.Operations[0].Size
	circuits, beside := x.onTier(ctx, size, x.byCircuits), x.onTier(ctx, size, x.byIsland)
	if circuits == nil || beside == nil {
		return
	}
	part := islands.Divide(circuits, beside)
	if part == 0 {
		return
	}
	circuits = x.onTier(ctx, islands.Part(size, part), x.byCircuits)
	beside = x.onTier(ctx, size-islands.Part(size, part)+1, x.byIsland)
	if circuits == nil || beside == nil {
		return
	}
	for _, eighths := range []int{8, 7, 6, 4, 9, 10, 12} { // forwarded data takes longer
		made, err := islands.JoinTiers(ctx, circuits, beside, part*eighths/8, &x.Fabric, size)
		if err == nil {
			x.take(ctx, made, nil)
		}
	}
}

// onTier returns a plan for the operation at another size; nil: there is none.
func (x *onIslands) onTier(ctx context.Context, size units.Bytes, by func(context.Context, *Request) (*plan.Plan, error)) *plan.Plan {
	other := *x.Request
	other.Operations = []collective.Operation{x.Operations[0]}
	other.Operations[0].Size = size
	made, err := by(ctx, &other)
	if err != nil {
		return nil
	}
	return made
}

// byCircuits returns the fastest plan that uses only circuits.
func (x *onIslands) byCircuits(ctx context.Context, r *Request) (*plan.Plan, error) {
	flat := *r
	flat.Fabric = x.Fabric.Flat()
	return x.fastest(ctx, &flat, x.search)
}

// byIsland returns the fastest plan within the island.
func (x *onIslands) byIsland(ctx context.Context, r *Request) (*plan.Plan, error) {
	inner := &onIslands{lifted: r.lifted(nil, false, x.search)}
	inner.found = nil
	inner.inside(ctx)
	inner.settle(ctx)
	return inner.best, inner.reasonIfNone()
}

// reasonIfNone returns an error if there is no plan.
func (x *onIslands) reasonIfNone() error {
	if x.best != nil {
		return nil
	}
	return planner.ErrInfeasible
}
