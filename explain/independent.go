package explain

import (
	"context"
	"errors"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// Plane describes a plane that does not wait for the others.
type Plane struct {
	Plane int `json:"plane"` // from 1
	Turns int `json:"turns"`
	// StartupNs is the time of start-ups and propagation, SendsNs that of the bytes, DarkNs that
	// of reconfigurations.
	StartupNs units.Time `json:"startup_ns"`
	SendsNs   units.Time `json:"sends_ns"`
	DarkNs    units.Time `json:"dark_ns"`
	EndsNs    units.Time `json:"ends_ns"`
}

// apart is the choice that planes do not wait for one another.
const apart = "planes that do not wait for one another"

// independent explains a plan whose planes do not wait for one another: what each does, and the
// plan that the planner makes if all planes reconfigure together.
func (e *Explanation) independent(ctx context.Context, p *plan.Plan, planners planner.Registry) error {
	e.Planes = make([]Plane, p.Fabric.Ports)
	for k := range e.Planes {
		e.Planes[k].Plane = k + 1
	}
	for stage, step := range p.Steps() {
		at := &e.Planes[stage.Turn()]
		at.Turns++
		at.StartupNs += step.Cost.Startup + step.Cost.Propagation
		at.SendsNs += step.Cost.Transmission
		at.DarkNs += stage.Reconfiguration
		at.EndsNs = max(at.EndsNs, step.Start+step.Cost.Total())
	}
	oracle, err := planners.Lookup(p.Planner)
	if err != nil || !plansAgain(ctx, p, oracle) {
		return nil // a planner that is not known here
	}
	laid := p.Laid(ctx)
	r := planner.Request{Fabric: p.Fabric, Collective: laid.Collective, Size: laid.Size}
	r.Fabric.Overlap = fabric.Overlap{}
	other, err := oracle.Plan(ctx, r)
	if err != nil {
		if !errors.Is(err, planner.ErrInfeasible) {
			return err
		}
		other = nil
	}
	e.Choices = []Choice{choiceOf(apart, p, other)}
	return nil
}
