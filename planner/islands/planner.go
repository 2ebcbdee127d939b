package islands

import (
	"context"

	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// Planner returns a planner that asks another for a plan on a core, and lifts it. Requests have
// the fabric with islands and the steps of the core, for an operation of the given size.
func Planner(p planner.Planner, c Core, size units.Bytes) planner.Planner {
	return lifting{p, c, size}
}

// lifting is a planner on cores.
type lifting struct {
	planner.Planner
	core Core
	size units.Bytes
}

// Traits implements planner.Described.
func (x lifting) Traits() planner.Traits {
	of := planner.TraitsOf(x.Planner)
	return planner.Traits{Baseline: of.Baseline, Listed: of.Listed}
}

// Plan implements planner.Planner.
func (x lifting) Plan(ctx context.Context, r planner.Request) (*plan.Plan, error) {
	within := r
	within.Fabric, within.Bare, within.Better, within.Limit = x.core.Fabric, true, nil, 0
	core, err := x.Planner.Plan(ctx, within)
	if err != nil {
		return nil, err
	}
	made, err := Lift(ctx, core, x.core, &r.Fabric, x.size)
	if err != nil {
		return nil, err
	}
	return made, r.Beyond(made.Cost.Total())
}
