package staged

import (
	"context"
	"fmt"
	"math"

	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
)

// build turns a schedule into a plan: routes for every transfer, consecutive steps
// on the same circuits in one stage.
func (s *schedule) build(ctx context.Context, r *planner.Request, name string) (*plan.Plan, error) {
	p := &plan.Plan{
		Fabric:     r.Fabric,
		Provenance: plan.Provenance{Planner: name, Synthesis: s.synthesis},
		Collective: plan.Collective{
			Op: r.Collective.Op, Algorithm: r.Collective.Algorithm, Size: r.Size, Space: r.Collective.Space,
		},
	}
	for i, c := range s.choice {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if i == 0 || !s.choice[i-1].same(c) {
			p.Stages = append(p.Stages, plan.Stage{Topology: c.topology()})
		}
		stage := &p.Stages[len(p.Stages)-1]
		step, err := s.planStep(ctx, i)
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", i+1, err)
		}
		stage.Steps = append(stage.Steps, step)
	}
	if err := p.Price(); err != nil {
		return nil, err
	}
	return p, nil
}

// planStep routes step i over the circuits that were chosen for it.
func (s *schedule) planStep(ctx context.Context, i int) (plan.Step, error) {
	w, c := s.work, s.choice[i]
	index := w.classOf[i]
	if c.known == nil || c.known[index].routed == nil {
		routed, err := w.route(ctx, c, &w.classes[index], math.Inf(1))
		if err != nil {
			return plan.Step{}, err
		}
		w.settle(c, index, routed)
	}
	routed := c.known[index].routed
	planned := plan.Step{Group: routed.group, Base: make([]plan.Transfer, 0, len(routed.routes))}
	for t := range w.eachUnder(w.steps[i], routed.group) {
		planned.Base = append(planned.Base, plan.Transfer{Transfer: t, Routes: routed.routes[len(planned.Base)]})
	}
	return planned, nil
}
