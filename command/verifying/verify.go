// Package verifying implements the commands verify and explain: whether a plan is correct, and why
// it reconfigures when it does.
package verifying

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/command/iterating"
	"github.com/lightpath-net/lightpath/command/planning"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/portfolio"
	"github.com/lightpath-net/lightpath/units"
)

// VerifyRequest asks whether a plan is correct.
type VerifyRequest struct {
	Plan   *plan.Plan `json:"-"` // in JSON "plan": the whole plan, or {"id": HASH}
	PlanID string     `json:"-"`
	command.ScheduleFields
	// Baselines recomputes the plan's claimed baselines, which takes as long as planning them.
	Baselines bool `json:"baselines,omitempty" help:"also recompute the baselines that the plan claims"`
	// Iteration is the plan of a whole iteration, to be verified instead of a plan.
	Iteration *iteration.Document `json:"iteration,omitempty"`
}

// MarshalJSON writes the JSON form.
func (r VerifyRequest) MarshalJSON() ([]byte, error) {
	type fields VerifyRequest
	return command.WriteWithPlan(r.Plan, r.PlanID, fields(r))
}

// UnmarshalJSON reads the JSON form.
func (r *VerifyRequest) UnmarshalJSON(data []byte) (err error) {
	type fields VerifyRequest
	r.Plan, r.PlanID, err = command.ReadWithPlan(data, (*fields)(r))
	return err
}

// Complete reports the first invalid field.
func (r *VerifyRequest) Complete() error {
	if r.Iteration == nil {
		return r.OnePlan(r.Plan, r.PlanID)
	}
	return iterating.One(r.Iteration, r.Plan != nil || r.PlanID != "" || r.Schedule != nil)
}

// Verify checks a plan. A wrong plan gives a report that is not OK; an error means that there
// was nothing to check.
func Verify(ctx context.Context, r VerifyRequest, options ...command.Option) (*verify.Report, error) {
	e := command.NewRun(options)
	if err := r.Complete(); err != nil {
		return nil, err
	}
	if r.Iteration != nil {
		return iteration.Verify(ctx, r.Iteration)
	}
	lifted, err := r.Lift(ctx)
	if err != nil {
		return nil, err
	}
	if lifted != nil {
		r.Plan = lifted.Plan
	}
	p, err := e.LoadPlan(ctx, r.Plan, r.PlanID)
	if err != nil {
		return nil, err
	}
	report, err := verify.Plan(ctx, e.Know(p))
	if err == nil && lifted != nil {
		report.Assumed = lifted.Assumed
		report.Set(lifted.Check())
	}
	if err != nil || !r.Baselines || report.First() != nil {
		return report, err
	}
	check, err := checkBaselines(ctx, e, p)
	if err != nil {
		return nil, err
	}
	report.Set(check)
	return report, nil
}

// checkBaselines plans the baselines of a plan again and compares them.
func checkBaselines(ctx context.Context, e *command.Run, p *plan.Plan) (verify.Check, error) {
	laid := p.Laid(ctx)
	request := planning.PlanRequest{Fabric: p.Fabric}
	any := func(role plan.Baseline) func() (*plan.Plan, error) {
		return func() (*plan.Plan, error) {
			var ok bool
			if request.Operations, ok = operationsOf(p); !ok {
				return nil, errNotAgain
			}
			if role == plan.Static {
				return request.Asked().Staying(ctx, nil, e.Search.Quiet())
			}
			return request.Asked().Baseline(ctx, role, e.Search)
		}
	}
	again := func(role plan.Baseline, what collective.Sized) (*plan.Plan, error) {
		other := e.Search.Planners().Baseline(role)
		if other == nil {
			return nil, errNotAgain
		}
		return other.Plan(ctx, planner.Request{Fabric: p.Fabric, Collective: what.Collective, Size: what.Size, Bare: true})
	}
	made, unknown := 0, 0
	for _, claim := range []struct {
		what string
		role plan.Baseline // for baselines of any algorithm
		time units.Time
		make func() (*plan.Plan, error)
	}{
		{"the best static plan", plan.Static, p.Baselines.Static, any(plan.Static)},
		{"the best every-step plan", plan.EveryStep, p.Baselines.EveryStep, any(plan.EveryStep)},
		{"a static plan of its algorithm", "", p.SameAlgorithm.Static, func() (*plan.Plan, error) { return again(plan.Static, laid) }},
		{"an every-step plan of its algorithm", "", p.SameAlgorithm.EveryStep, func() (*plan.Plan, error) { return again(plan.EveryStep, laid) }},
		{"static direct", "", p.Baselines.Direct, func() (*plan.Plan, error) {
			c, err := algorithms.New(collective.AllToAll, algorithms.Direct(collective.AllToAll), p.Fabric.Nodes, p.Fabric.Ports)
			if err != nil {
				return nil, err
			}
			return again(plan.Static, collective.Sized{Collective: c, Size: p.Collective.Size})
		}},
	} {
		if claim.time == 0 {
			continue
		}
		other, err := claim.make()
		switch {
		case errors.Is(err, errNotAgain):
			unknown++
			continue
		case errors.Is(err, planner.ErrInfeasible):
			return verify.Check{Name: "baselines", Detail: fmt.Sprintf("claims %v for %s, but there is no such plan", claim.time, claim.what)}, nil
		case err != nil:
			return verify.Check{}, err
		case claim.role != "" && other.Cost.Total() < claim.time: // older versions tried fewer plans
			known, err := knownBefore(ctx, &request, claim.role, claim.time, e.Search)
			if err != nil {
				return verify.Check{}, err
			}
			if known {
				made++
				continue
			}
		}
		if math.Abs(float64(other.Cost.Total()/claim.time)-1) > baselineTolerance {
			return verify.Check{Name: "baselines", Detail: fmt.Sprintf("claims %v for %s, which takes %v", claim.time, claim.what, other.Cost.Total())}, nil
		}
		made++
	}
	check := verify.Check{Name: "baselines", OK: true, Detail: fmt.Sprintf("as claimed: %d", made)}
	if unknown > 0 {
		check = verify.Check{Name: "baselines", Unchecked: true, Detail: fmt.Sprintf("as claimed: %d; %d cannot be made again here", made, unknown)}
	}
	return check, nil
}

// knownBefore reports whether a time is that of the fastest baseline among the plans that older
// versions tried: plans that use all ports and, for plans that do not reconfigure, only those of
// planner static.
func knownBefore(ctx context.Context, r *planning.PlanRequest, role plan.Baseline, time units.Time, s *portfolio.Search) (bool, error) {
	s = s.Quiet().WithAllPorts()
	ways := []func() (*plan.Plan, error){func() (*plan.Plan, error) { return r.Asked().Baseline(ctx, role, s) }}
	if role == plan.Static {
		ways = append(ways, func() (*plan.Plan, error) { return r.Asked().Staying(ctx, nil, s) })
	}
	for _, older := range ways {
		p, err := older()
		switch {
		case errors.Is(err, planner.ErrInfeasible):
		case err != nil:
			return false, err
		case math.Abs(float64(p.Cost.Total()/time)-1) <= baselineTolerance:
			return true, nil
		}
	}
	return false, nil
}

// errNotAgain marks a baseline that cannot be planned again.
var errNotAgain = errors.New("cannot be made again")

// operationsOf returns the operations that a plan performs, with open algorithms, if more is
// known of them than their chunks.
func operationsOf(p *plan.Plan) ([]collective.Operation, bool) {
	sections := p.Collective.Space.Sections
	if sections == nil {
		sections = []collective.Section{{Op: p.Collective.Op, Size: p.Collective.Size, Space: p.Collective.Space}}
	}
	var all []collective.Operation
	for i := range sections {
		s := &sections[i]
		if s.Op == collective.Pattern || s.Space.Kind == collective.Listed && s.Space.Sizes == nil {
			return nil, false
		}
		all = append(all, collective.Operation{Op: s.Op, Size: s.Size, GPUs: s.Space.Members, Demand: s.Space.Sizes})
	}
	return all, true
}

// baselineTolerance is how far a claimed baseline may be from the recomputed one, relative to
// it: far above rounding, far below anything that matters.
const baselineTolerance = 1e-9
