package lightpath

import (
	"context"
	"errors"
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/auto"
	"github.com/lightpath-net/lightpath/units"
)

// PlanRequest asks for a plan.
type PlanRequest struct {
	Fabric    fabric.Fabric
	Op        collective.Op
	Size      units.Bytes
	Algorithm string // a name or Auto
	Planner   string // a name or Auto
	// Progress, if not nil, is called now and then with the work done and in all.
	Progress func(done, total int)
}

// Plan makes a plan and verifies it. An error that wraps planner.ErrInfeasible means
// that there is none; any other means that the request makes no sense.
func Plan(ctx context.Context, r PlanRequest) (*plan.Plan, error) {
	p, err := Planners().Lookup(r.Planner)
	if err != nil {
		return nil, err
	}
	if err := r.Fabric.Validate(); err != nil {
		return nil, err
	}
	request := planner.Request{Fabric: r.Fabric, Size: r.Size, Progress: r.Progress}
	var made *plan.Plan
	if r.Algorithm == Auto {
		made, err = auto.Algorithm(ctx, p, request, r.Op)
	} else {
		if request.Collective, err = collective.New(r.Op, r.Algorithm, r.Fabric.Nodes, r.Fabric.Ports); err != nil {
			return nil, err
		}
		made, err = p.Plan(ctx, request)
	}
	if err != nil {
		return nil, blameBase(&r.Fabric, err)
	}
	if err := prove(ctx, made); err != nil {
		return nil, err
	}
	return made, nil
}

// prove verifies a plan of ours: one that is wrong is a bug.
func prove(ctx context.Context, p *plan.Plan) error {
	report, err := plan.Verify(ctx, p)
	if err != nil {
		return err
	}
	if bad := report.First(); bad != nil {
		return fmt.Errorf("planner %s made a wrong plan (this is a bug): %s: %s", p.Planner, bad.Name, bad.Detail)
	}
	return nil
}

// blameBase turns "there is no plan" into a complaint about the base topology where
// that was asked for and does not connect the GPUs.
func blameBase(f *fabric.Fabric, err error) error {
	if f.Base == "" || !errors.Is(err, planner.ErrInfeasible) {
		return err
	}
	if base, baseErr := f.BaseTopology(); baseErr == nil {
		if _, connected := base.Diameter(); !connected {
			return fmt.Errorf("base: %s does not lead from every GPU to every other (%v)", f.Base, err)
		}
	}
	return err
}
