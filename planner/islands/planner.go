package islands

import (
	"context"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Lifting says how a planner for cores plans for a fabric with islands.
type Lifting struct {
	Core   Core
	Fabric fabric.Fabric // the core's: the request's, or one that allows less
	Still  fabric.Fabric // the core's fabric, with changes that never pay
	Size   units.Bytes   // of the operation
}

// Planner returns a planner that asks p for plans on the core and lifts them. It asks for a plan
// at the actual delay and for one without changes, since planning on the core does not know the
// time that islands add. Requests have the fabric with islands and the steps of the core.
func (l Lifting) Planner(p planner.Planner) planner.Planner { return lifting{p, l} }

// lifting is a planner on cores.
type lifting struct {
	planner.Planner
	how Lifting
}

// Traits implements planner.Described.
func (x lifting) Traits() planner.Traits {
	of := planner.TraitsOf(x.Planner)
	return planner.Traits{Baseline: of.Baseline, Listed: of.Listed}
}

// Plan implements planner.Planner.
func (x lifting) Plan(ctx context.Context, r planner.Request) (*plan.Plan, error) {
	cores := []fabric.Fabric{x.how.Core.Fabric, x.how.Still}
	best, err := planner.FastestOf(cores, nil, func(on fabric.Fabric) (*plan.Plan, error) {
		within := r
		within.Fabric, within.Bare, within.Better, within.Made, within.Limit = on, true, nil, nil, 0
		return x.lift(ctx, within, r.Fabric)
	})
	if err != nil {
		return nil, err
	}
	return best, r.Beyond(best.Cost.Total())
}

// lift plans on a core and lifts the plan to a fabric.
func (x lifting) lift(ctx context.Context, r planner.Request, f fabric.Fabric) (*plan.Plan, error) {
	core, err := x.Planner.Plan(ctx, r)
	if err == nil && SendsParts(core) && !r.Whole {
		r.Whole = true
		core, err = x.Planner.Plan(ctx, r)
	}
	if err != nil {
		return nil, err
	}
	core.Fabric = x.how.Core.Fabric
	if err := core.PriceContext(ctx); err != nil {
		return nil, err
	}
	made, err := Lift(ctx, core, x.how.Core, &x.how.Fabric, x.how.Size, 0)
	if err != nil {
		return nil, err
	}
	if err := Onto(ctx, made, f); err != nil {
		return nil, err
	}
	made.Bound = min(made.OperationBound().Total(), made.Cost.Total())
	return made, nil
}

// mostUnfolded bounds the transfers that Onto lists one by one.
const mostUnfolded = 1 << 20

// Onto prices a plan on a fabric with the same circuits and islands at least as large. A symmetry
// of small islands need not be one of the larger islands that contain them. Onto unfolds steps with
// such a symmetry that use islands.
func Onto(ctx context.Context, made *plan.Plan, f fabric.Fabric) error {
	made.Fabric = f
	for i := range made.Stages {
		for j := range made.Stages[i].Steps {
			step := &made.Stages[i].Steps[j]
			if !f.KeepsIslands(step.Group) && step.Len() <= mostUnfolded && onIsland(&f, made.Stages[i].Topology, step) {
				step.Unfold(made.Collective.Space)
			}
		}
	}
	return made.PriceContext(ctx)
}

// onIsland reports whether a route of a step has a hop within an island.
func onIsland(f *fabric.Fabric, circuits *topology.Graph, step *plan.Step) bool {
	for i := range step.Base {
		for _, r := range step.Base[i].Routes {
			for h := 1; h < len(r.Path); h++ {
				if plan.Electrical(f, circuits, int(r.Path[h-1]), int(r.Path[h])) {
					return true
				}
			}
		}
	}
	return false
}
