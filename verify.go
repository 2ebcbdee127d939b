package lightpath

import (
	"context"
	"encoding/json"

	"github.com/lightpath-net/lightpath/plan"
)

// VerifyRequest asks whether a plan is correct.
type VerifyRequest struct {
	Plan   *plan.Plan `json:"-"` // in JSON "plan": the whole plan, or {"id": HASH}
	PlanID string     `json:"-"`
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
	return plan.Verify(ctx, p)
}
