package verifying

import (
	"context"

	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/explain"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner/exchange"
	"github.com/lightpath-net/lightpath/planner/portfolio"
)

// ExplainRequest asks why a plan rewires when it does.
type ExplainRequest struct {
	Plan   *plan.Plan `json:"-"` // in JSON "plan": the whole plan, or {"id": HASH}
	PlanID string     `json:"-"`
	command.ScheduleFields
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

// Complete reports the first field that makes no sense.
func (r *ExplainRequest) Complete() error { return r.OnePlan(r.Plan, r.PlanID) }

// Explain verifies a plan and says of each reconfiguration what it saves and costs, and
// for which delays and sizes the plan stays the best that its planner makes.
func Explain(ctx context.Context, r ExplainRequest, options ...command.Option) (*explain.Explanation, error) {
	e := command.NewEnvironment(options)
	if err := r.Complete(); err != nil {
		return nil, err
	}
	lifted, err := r.Lift(ctx)
	if err != nil {
		return nil, err
	}
	if lifted != nil {
		r.Plan = lifted.Plan
	}
	p, err := e.CorrectPlan(ctx, r.Plan, r.PlanID)
	if err != nil {
		return nil, err
	}
	o := exchange.Options{Strategy: p.Strategy}
	if p.Independent {
		o.Strategy = "" // of planes that are rewired together another may be the best
	}
	answer, err := explain.Plan(ctx, p, e.Planners(portfolio.Options{Exchange: o}))
	if err == nil && lifted != nil {
		answer.Assumed = lifted.Assumed
	}
	return answer, err
}
