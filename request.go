package lightpath

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/internal/strict"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/verify"
)

// FieldError says which field of a request is wrong and what would be right.
type FieldError = field.Error

// Operation is a collective operation to carry out.
type Operation = collective.Operation

// Request is a question to this package: a plain value whose zero fields mean documented
// defaults, with a JSON form in which fields have the names of the flags.
type Request interface {
	// Complete fills in the defaults. It reports the first field that makes no sense, as a
	// FieldError.
	Complete() error
}

// completeFabric fills in the fabric of a request: none at all stands for the default.
func completeFabric(f *fabric.Fabric) error {
	if f.IsZero() {
		*f = fabric.Default()
	}
	return field.In("fabric", f.Validate())
}

// planField is the plan of a request in JSON: inline, or {"id": HASH}.
type planField struct {
	plan *plan.Plan
	id   string
}

// IsZero reports whether there is neither.
func (f planField) IsZero() bool { return f.plan == nil && f.id == "" }

type planID struct {
	ID string `json:"id"`
}

// MarshalJSON writes either.
func (f planField) MarshalJSON() ([]byte, error) {
	if f.id != "" {
		return json.Marshal(planID{f.id})
	}
	return json.Marshal(f.plan)
}

// UnmarshalJSON reads either.
func (f *planField) UnmarshalJSON(data []byte) error {
	var named struct {
		ID *string `json:"id"`
	}
	if json.Unmarshal(data, &named) == nil && named.ID != nil {
		var id planID
		err := strict.Unmarshal(data, &id)
		if err == nil && id.ID == "" {
			err = field.Errorf("id", "empty; want the hash of a plan")
		}
		f.id = id.ID
		return err
	}
	f.plan = &plan.Plan{}
	return f.plan.UnmarshalJSON(data)
}

// withPlan is the JSON form of a request that holds a plan: the plan beside its other fields.
type withPlan[F any] struct {
	Plan   planField `json:"plan,omitzero"`
	Fields *F        `json:",inline"` // as package strict reads it
}

// writeWithPlan writes a request that holds a plan.
func writeWithPlan[F any](p *plan.Plan, id string, fields F) ([]byte, error) {
	whole, err := json.Marshal(struct {
		Plan planField `json:"plan,omitzero"`
	}{planField{p, id}})
	if err != nil {
		return nil, err
	}
	rest, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	return besides(whole, rest), nil
}

// besides joins the members of two objects.
func besides(whole, rest []byte) []byte {
	const none = "{}"
	switch {
	case string(rest) == none:
		return whole
	case string(whole) == none:
		return rest
	}
	return append(append(whole[:len(whole)-1], ','), rest[1:]...)
}

// readBesides reads a request that holds a plan and whose other fields are those of several
// structs, which are given by pointers.
func readBesides(data []byte, p *planField, fields ...any) error {
	members := []reflect.StructField{{Name: "Plan", Type: reflect.TypeFor[*planField](), Tag: `json:"plan,omitzero"`}}
	for i, f := range fields {
		members = append(members, reflect.StructField{Name: fmt.Sprintf("Fields%d", i), Type: reflect.TypeOf(f), Tag: `json:",inline"`})
	}
	doc := reflect.New(reflect.StructOf(members))
	doc.Elem().Field(0).Set(reflect.ValueOf(p))
	for i, f := range fields {
		doc.Elem().Field(i + 1).Set(reflect.ValueOf(f))
	}
	return readRequest(data, doc.Interface())
}

// readWithPlan reads a request that holds a plan.
func readWithPlan[F any](data []byte, fields *F) (*plan.Plan, string, error) {
	doc := withPlan[F]{Fields: fields}
	err := readRequest(data, &doc)
	return doc.Plan.plan, doc.Plan.id, err
}

// onePlan reports a request that has no plan or two.
func onePlan(p *plan.Plan, id string) error {
	switch {
	case p == nil && id == "":
		return field.Errorf("plan", "missing; want a plan, or {\"id\": HASH} of one")
	case p != nil && id != "":
		return field.Errorf("plan", "a plan and an id: want one of them")
	}
	return nil
}

// loadPlan returns the plan of a request.
func (e *environment) loadPlan(ctx context.Context, p *plan.Plan, id string) (*plan.Plan, error) {
	if p != nil {
		return p, nil
	}
	if e.plans == nil {
		return nil, field.Errorf("plan.id", "there is no store of plans here; send the whole plan")
	}
	found, err := e.plans.Plan(ctx, id)
	if err != nil {
		return nil, field.In("plan.id", err)
	}
	return found, nil
}

// correctPlan returns the plan of a request after it has been verified.
func (e *environment) correctPlan(ctx context.Context, p *plan.Plan, id string) (*plan.Plan, error) {
	p, err := e.loadPlan(ctx, p, id)
	if err != nil || e.verified {
		return p, err
	}
	p = e.know(p)
	checked, err := verify.Plan(ctx, p)
	if err != nil {
		return nil, err
	}
	if bad := checked.First(); bad != nil {
		return nil, &IncorrectPlanError{*bad}
	}
	return p, nil
}

// IncorrectPlanError is a plan that was to be used but does not verify.
type IncorrectPlanError struct {
	Check verify.Check // the first that failed
}

func (e *IncorrectPlanError) Error() string {
	return fmt.Sprintf("a plan that is not correct: %s: %s", e.Check.Name, e.Check.Detail)
}

// readRequest reads the JSON form of a request into its plain type.
func readRequest(data []byte, into any) error {
	err := strict.Unmarshal(data, into)
	var named *FieldError
	if err == nil || errors.As(err, &named) {
		return err
	}
	return fmt.Errorf("not a request in JSON: %w", err)
}
