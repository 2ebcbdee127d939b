package verifying

import (
	"context"

	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/command/iterating"
	"github.com/lightpath-net/lightpath/explain"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
)

// ExplainRequest asks why a plan reconfigures when it does.
type ExplainRequest struct {
	Plan   *plan.Plan `json:"-"` // in JSON "plan": the whole plan, or {"id": HASH}
	PlanID string     `json:"-"`
	command.ScheduleFields
	// Iteration is the plan of a whole iteration, to be explained instead of a plan.
	Iteration *iteration.Document `json:"iteration,omitempty"`
	// BudgetOnly leaves out what is found by planning again.
	BudgetOnly bool `json:"budget_only,omitempty" help:"of an iteration: show only where its time goes, without planning it at other delays and with one more port"`
	// Policy is that by which an iteration is planned again.
	Policy string `json:"policy,omitempty" help:"of an iteration: plan it again by a policy, ${NAME}: best | static | phases | phases-ahead | each | one" default:"best"`
}

// MarshalJSON writes the JSON form.
func (r ExplainRequest) MarshalJSON() ([]byte, error) {
	type fields ExplainRequest
	return command.WriteWithPlan(r.Plan, r.PlanID, fields(r))
}

// UnmarshalJSON reads the JSON form.
func (r *ExplainRequest) UnmarshalJSON(data []byte) (err error) {
	type fields ExplainRequest
	r.Plan, r.PlanID, err = command.ReadWithPlan(data, (*fields)(r))
	return err
}

// Complete reports the first invalid field.
func (r *ExplainRequest) Complete() error {
	if r.Iteration == nil {
		switch {
		case r.BudgetOnly:
			return field.Errorf("budget_only", "for the plan of an iteration")
		case r.Policy != "":
			return field.Errorf("policy", "for the plan of an iteration")
		}
		return r.OnePlan(r.Plan, r.PlanID)
	}
	if err := iterating.CompletePolicy(&r.Policy); err != nil {
		return err
	}
	return iterating.One(r.Iteration, r.Plan != nil || r.PlanID != "" || r.Schedule != nil)
}

// Explain verifies a plan and says of each reconfiguration what it saves and costs, and for
// which delays and sizes the plan stays the best that its planner makes. For the plan of an
// iteration it says what the time is spent on, what each delay costs, and what another port
// would save.
func Explain(ctx context.Context, r ExplainRequest, options ...command.Option) (*explain.Explanation, error) {
	e := command.NewRun(options)
	if err := r.Complete(); err != nil {
		return nil, err
	}
	if r.Iteration != nil {
		x, err := iterating.Account(ctx, r.Iteration, r.BudgetOnly, r.Policy, e)
		if err != nil {
			return nil, err
		}
		return explain.Iteration(r.Iteration, x), nil
	}
	p, assumed, err := r.Correct(ctx, e, r.Plan, r.PlanID)
	if err != nil {
		return nil, err
	}
	answer, err := explain.Plan(ctx, p, e.Planners(again(p, e.Search.Planners())...))
	if err == nil {
		answer.Assumed = assumed
	}
	return answer, err
}

// again returns the options that would make a plan again, as far as its planner knows them.
func again(p *plan.Plan, registry planner.Registry) []planner.Options {
	by, err := registry.Lookup(p.Planner)
	if err != nil {
		return nil // reported later
	}
	if takes := planner.TraitsOf(by).Options; takes != nil && takes.Again != nil {
		return []planner.Options{takes.Again(p)}
	}
	return nil
}
