package lightpath

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// VerifyRequest asks whether a plan is correct.
type VerifyRequest struct {
	Plan   *plan.Plan `json:"-"` // in JSON "plan": the whole plan, or {"id": HASH}
	PlanID string     `json:"-"`
	// Baselines has the baselines that the plan claims made again, which takes as long as
	// planning them did.
	Baselines bool `json:"baselines,omitempty"`
}

type verifyFields VerifyRequest

type verifyJSON struct {
	Plan planField `json:"plan,omitzero"`
	*verifyFields
}

// MarshalJSON writes the JSON form.
func (r VerifyRequest) MarshalJSON() ([]byte, error) {
	return json.Marshal(verifyJSON{planField{r.Plan, r.PlanID}, (*verifyFields)(&r)})
}

// UnmarshalJSON reads the JSON form.
func (r *VerifyRequest) UnmarshalJSON(data []byte) error {
	doc := verifyJSON{verifyFields: (*verifyFields)(r)}
	err := readRequest(data, &doc)
	r.Plan, r.PlanID = doc.Plan.plan, doc.Plan.id
	return err
}

// Complete reports the first field that makes no sense.
func (r *VerifyRequest) Complete() error { return onePlan(r.Plan, r.PlanID) }

// Verify checks a plan. A plan that is wrong is a report that is not OK; an error means
// that there was nothing to check.
func Verify(ctx context.Context, r VerifyRequest, options ...Option) (*plan.Report, error) {
	e := newEnvironment(options)
	if err := r.Complete(); err != nil {
		return nil, err
	}
	p, err := e.loadPlan(ctx, r.Plan, r.PlanID)
	if err != nil {
		return nil, err
	}
	report, err := plan.Verify(ctx, e.know(p))
	if err != nil || !r.Baselines || report.First() != nil {
		return report, err
	}
	check, err := e.checkBaselines(ctx, p)
	if err != nil {
		return nil, err
	}
	report.Set(check)
	return report, nil
}

// checkBaselines makes the plans again that a plan compares itself with.
func (e *environment) checkBaselines(ctx context.Context, p *plan.Plan) (plan.Check, error) {
	made, detail := 0, ""
	laid := p.Laid()
	for _, claim := range []struct {
		planner string
		time    units.Time
		lay     func() (collective.Sized, error)
	}{
		{"static", p.Baselines.Static, func() (collective.Sized, error) { return laid, nil }},
		{"every-step", p.Baselines.EveryStep, func() (collective.Sized, error) { return laid, nil }},
		{"static", p.Baselines.Direct, func() (collective.Sized, error) {
			c, err := collective.New(collective.AllToAll, "direct", p.Fabric.Nodes, p.Fabric.Ports)
			return collective.Sized{Collective: c, Size: p.Collective.Size}, err
		}},
	} {
		if claim.time == 0 {
			continue
		}
		other, err := e.registry.Lookup(claim.planner)
		if err != nil {
			return plan.Check{Name: "baselines", Unchecked: true, Detail: err.Error()}, nil
		}
		what, err := claim.lay()
		if err != nil {
			return plan.Check{}, err
		}
		again, err := other.Plan(ctx, planner.Request{Fabric: p.Fabric, Collective: what.Collective, Size: what.Size})
		switch {
		case errors.Is(err, planner.ErrInfeasible):
			detail = fmt.Sprintf("claims %v for planner %s, which has no plan", claim.time, claim.planner)
		case err != nil:
			return plan.Check{}, err
		case math.Abs(float64(again.Cost.Total()/claim.time)-1) > baselineTolerance:
			detail = fmt.Sprintf("claims %v for planner %s, which takes %v", claim.time, claim.planner, again.Cost.Total())
		}
		made++
	}
	if detail != "" {
		return plan.Check{Name: "baselines", Detail: detail}, nil
	}
	return plan.Check{Name: "baselines", OK: true, Detail: fmt.Sprintf("as claimed: %d", made)}, nil
}

// baselineTolerance is how far a claimed baseline may be from the one made again, relative:
// far above rounding, far below anything that matters.
const baselineTolerance = 1e-9
