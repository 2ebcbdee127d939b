package lower

import (
	"fmt"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
)

// Plan returns the plan as the runtime carries it out, with its own price: routes carry
// whole units, and what passes through ranks is stored there before it is sent on. The
// bound and the baselines are not those of the plan, and are left out.
func (low *Lowered) Plan() (*plan.Plan, error) {
	p := low.plan
	q := &plan.Plan{Fabric: p.Fabric, Collective: p.Collective, Planner: p.Planner}
	q.Fabric.Forwarding = fabric.StoreAndForward
	for i := range p.Stages {
		stage := plan.Stage{Topology: p.Stages[i].Topology}
		for j := range p.Stages[i].Steps {
			step := &p.Stages[i].Steps[j]
			whole := plan.Step{Group: step.Group, Base: make([]plan.Transfer, len(step.Base))}
			copy(whole.Base, step.Base)
			for k := range whole.Base {
				whole.Base[k].Routes = dealt(whole.Base[k].Routes, whole.Base[k].Chunks.Len()*low.Parts)
			}
			stage.Steps = append(stage.Steps, whole)
		}
		q.Stages = append(q.Stages, stage)
	}
	if err := q.Price(); err != nil {
		return nil, fmt.Errorf("the lowered plan has no price: %w", err)
	}
	return q, nil
}

// dealt returns the routes with the shares that they really carry.
func dealt(routes []flow.Route, units int) []flow.Route {
	var whole []flow.Route
	for r, count := range deal(routes, units) {
		if count > 0 {
			whole = append(whole, flow.Route{Path: routes[r].Path, Share: float64(count) / float64(units)})
		}
	}
	return whole
}
