package command

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/verify"
)

// LoadPlan returns the plan of a request.
func (e *Run) LoadPlan(ctx context.Context, p *plan.Plan, id string) (*plan.Plan, error) {
	if p != nil {
		return p, nil
	}
	if e.Plans == nil {
		return nil, field.Errorf("plan.id", "there is no store of plans here; send the whole plan")
	}
	found, err := e.Plans.Plan(ctx, id)
	if err != nil {
		return nil, field.In("plan.id", err)
	}
	return found, nil
}

// CorrectPlan returns the plan of a request after it has been verified.
func (e *Run) CorrectPlan(ctx context.Context, p *plan.Plan, id string) (*plan.Plan, error) {
	p, err := e.LoadPlan(ctx, p, id)
	if err != nil || e.Verified {
		return p, err
	}
	p = e.Know(p)
	checked, err := verify.Plan(ctx, p)
	if err != nil {
		return nil, err
	}
	if bad := checked.First(); bad != nil {
		return nil, &IncorrectPlanError{*bad}
	}
	return p, nil
}

// IncorrectPlanError reports a plan that does not pass verification and so cannot be used.
type IncorrectPlanError struct {
	Check verify.Check // the first that failed
}

func (e *IncorrectPlanError) Error() string {
	return fmt.Sprintf("a plan that is not correct: %s: %s", e.Check.Name, e.Check.Detail)
}

// Prove verifies a plan that Lightpath made: a wrong one is a bug.
func Prove(ctx context.Context, p *plan.Plan) error {
	report, err := verify.Plan(ctx, p)
	if err != nil {
		return err
	}
	if bad := report.First(); bad != nil {
		return &WrongPlanError{p.Planner, *bad}
	}
	return nil
}

// WrongPlanError reports a plan made by Lightpath that fails a check.
type WrongPlanError struct {
	planner string
	Check   verify.Check
}

// Refuted returns the error for a plan made by Lightpath that fails a check.
func Refuted(planner string, by verify.Check) error { return &WrongPlanError{planner, by} }

func (w *WrongPlanError) Error() string {
	return fmt.Sprintf("planner %s made a wrong plan (this is a bug): %s: %s", w.planner, w.Check.Name, w.Check.Detail)
}
