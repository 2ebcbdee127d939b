package lightpath

import (
	"context"
	"slices"

	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner/portfolio"
)

// compared returns what a plan is compared with: the fastest plan without any rewiring and
// the fastest that rewires before every step, whatever their algorithms.
func (r *PlanRequest) compared(ctx context.Context, made *plan.Plan, e *environment) ([]portfolio.Extreme, error) {
	var fastest *plan.Plan
	open := !slices.ContainsFunc(r.Operations, func(o Operation) bool { return !o.Open() })
	if open && r.Pattern == nil && r.Planner == Auto && r.ChooseBy != ChooseBySimulated {
		fastest = made
	}
	return r.asked().AnyAlgorithm().Extremes(ctx, fastest, &e.search)
}

// overtaking returns a plan of those that a sequence by auto is compared with that is faster than
// it, or nil. Operations of a sequence are planned one after the other on what the one before
// leaves up: where changes are ruled out, another choice for the first can turn out better for
// all of them.
func (r *PlanRequest) overtaking(made *plan.Plan, extremes []portfolio.Extreme) *plan.Plan {
	if len(r.Operations) < 2 || r.Planner != Auto || r.ChooseBy == ChooseBySimulated || slices.ContainsFunc(r.Operations, func(o Operation) bool { return !o.Open() }) {
		return nil
	}
	best := made
	for _, other := range extremes {
		if other.Cost.Total() < best.Cost.Total() && len(other.Stages) > 0 {
			best = other.Plan
		}
	}
	if best == made {
		return nil
	}
	return best
}

// noteExtremes notes in a plan what it is compared with, and how long the packets of all of
// them take.
func (r *PlanRequest) noteExtremes(ctx context.Context, made *plan.Plan, extremes []portfolio.Extreme, e *environment) error {
	for i := range extremes {
		if other := &extremes[i]; other.Role == plan.Static && made.Reconfigurations == r.Fabric.SetUps() && made.Cost.Total() < other.Cost.Total() {
			other.Plan = made // which does not rewire, either
		}
	}
	for _, other := range extremes {
		made.Baselines.Set(other.Role, other.Cost.Total())
		made.StaticAmong += other.Among
	}
	var err error
	if made.Baselines.Direct, err = portfolio.StaticDirect(ctx, made, extremes, e.search.Planners); err != nil {
		return err
	}
	return r.simulateAll(ctx, made, extremes, e)
}
