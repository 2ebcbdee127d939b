package planning

import (
	"context"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner/portfolio"
)

// compared returns the baselines of a plan: the fastest plan that never reconfigures and the
// fastest plan that reconfigures before every step, with any algorithms.
func (r *PlanRequest) compared(ctx context.Context, made *plan.Plan, e *command.Run) ([]portfolio.Extreme, error) {
	var fastest *plan.Plan
	open := !slices.ContainsFunc(r.Operations, func(o collective.Operation) bool { return !o.Open() })
	if open && r.Pattern == nil && r.Planner == collective.Auto && r.ChooseBy != ChooseBySimulated {
		fastest = made
	}
	return r.Asked().AnyAlgorithm().Extremes(ctx, fastest, e.Search)
}

// overtaking returns a baseline of a sequence planned by auto that is faster than the sequence,
// or nil. The operations of a sequence are planned one after the other, each on the circuits
// that the previous one leaves up. If changes are ruled out, another choice for the first
// operation can be better for all of them.
func (r *PlanRequest) overtaking(made *plan.Plan, extremes []portfolio.Extreme) *plan.Plan {
	if len(r.Operations) < 2 && !r.Fabric.Tiered() || r.Planner != collective.Auto || r.ChooseBy == ChooseBySimulated ||
		slices.ContainsFunc(r.Operations, func(o collective.Operation) bool { return !o.Open() }) {
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

// noteExtremes records in a plan its baselines, and the packet times of the plan and its
// baselines.
func (r *PlanRequest) noteExtremes(ctx context.Context, made *plan.Plan, extremes []portfolio.Extreme, near runners, e *command.Run) error {
	for i := range extremes {
		if other := &extremes[i]; other.Role == plan.Static && made.Reconfigurations == r.Fabric.SetUps() && made.Cost.Total() < other.Cost.Total() {
			other.Plan = made // which does not reconfigure, either
		}
	}
	for _, other := range extremes {
		made.Baselines.Set(other.Role, other.Cost.Total())
		made.StaticAmong += other.Among
	}
	var err error
	if made.Baselines.Direct, err = portfolio.StaticDirect(ctx, made, extremes, e.Search.Planners()); err != nil {
		return err
	}
	return r.simulateAll(ctx, made, extremes, near, e)
}

// simulateAll records the packet times of a plan and its baselines, and which baseline is faster
// than the plan in packets though not in the model.
func (r *PlanRequest) simulateAll(ctx context.Context, made *plan.Plan, extremes []portfolio.Extreme, near runners, e *command.Run) error {
	if err := r.simulatePlan(ctx, made); err != nil {
		return err
	}
	// Only the time is known of an extreme without stages.
	extremes = slices.DeleteFunc(slices.Clone(extremes), func(x portfolio.Extreme) bool { return len(x.Stages) == 0 })
	for _, other := range extremes {
		took := made.Simulated
		if other.Plan != made {
			var err error
			if took, _, err = r.PacketTime(ctx, other.Plan); err != nil {
				return err
			}
		}
		made.SimulatedBaselines.Set(other.Role, took)
		if other.Role == plan.Static && other.Collective.Algorithm == algorithms.Direct(collective.AllToAll) && other.Cost.Total() == made.Baselines.Direct {
			made.SimulatedBaselines.Direct = took
		}
	}
	if r.Planner != collective.Auto || made.Simulated == 0 {
		return nil
	}
	rivals, err := r.rivals(ctx, made, extremes, e)
	if err != nil {
		return err
	}
	for _, other := range rivals {
		took, _, err := r.PacketTime(ctx, other)
		if err != nil {
			return err
		}
		if took > 0 && took < made.Simulated && (made.Rival == nil || took < made.Rival.SimulatedNs) {
			made.Rival = rivalOf(other, took)
		}
	}
	return r.overtaken(ctx, made, near)
}
