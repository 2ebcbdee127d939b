package pass

import (
	"context"
	"fmt"
	"math"

	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
)

// Build turns a schedule into a plan. It routes every transfer and puts consecutive steps on the
// same circuits into one stage.
func (s *Schedule) Build(ctx context.Context, r *planner.Request, name string) (*plan.Plan, error) {
	p := &plan.Plan{
		Fabric:     r.Fabric,
		Provenance: plan.Provenance{Planner: name, Synthesis: s.Synthesis},
		Collective: plan.Collective{
			Op: r.Collective.Op, Algorithm: r.Collective.Algorithm, Size: r.Size, Space: r.Collective.Space,
		},
	}
	for i, c := range s.Choice {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if i == 0 || !s.Choice[i-1].Same(c) {
			p.Stages = append(p.Stages, plan.Stage{Topology: c.Topology()})
		}
		stage := &p.Stages[len(p.Stages)-1]
		step, err := s.PlanStep(ctx, i)
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", i+1, err)
		}
		p.Approximate = p.Approximate || c.Known.Routed(s.Work.ClassOf[i]).Approximate
		stage.Steps = append(stage.Steps, step)
	}
	if err := p.PriceContext(ctx); err != nil {
		return nil, err
	}
	return p, nil
}

// PlanStep routes step i over the circuits that were chosen for it.
func (s *Schedule) PlanStep(ctx context.Context, i int) (plan.Step, error) {
	w, c := s.Work, s.Choice[i]
	index := w.ClassOf[i]
	if c.Known.Routed(index) == nil {
		routed, err := w.Route(ctx, c, &w.Classes[index], math.Inf(1))
		if err != nil {
			return plan.Step{}, err
		}
		w.Settle(c, index, routed)
	}
	routed := c.Known.Routed(index)
	planned := plan.Step{Group: routed.Group, Base: make([]plan.Transfer, 0, len(routed.Routes))}
	for t := range w.EachUnder(w.Steps[i], routed.Group) {
		planned.Base = append(planned.Base, plan.Transfer{Transfer: t, Routes: routed.Routes[len(planned.Base)]})
	}
	return planned, nil
}
