package command

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/internal/strict"
	"github.com/lightpath-net/lightpath/plan"
)

// PlanField is the plan of a request in JSON: inline, or {"id": HASH}.
type PlanField struct {
	Plan *plan.Plan
	ID   string
}

// IsZero reports whether there is neither.
func (f PlanField) IsZero() bool { return f.Plan == nil && f.ID == "" }

type planID struct {
	ID string `json:"id"`
}

// MarshalJSON writes either.
func (f PlanField) MarshalJSON() ([]byte, error) {
	if f.ID != "" {
		return json.Marshal(planID{f.ID})
	}
	return json.Marshal(f.Plan)
}

// UnmarshalJSON reads either.
func (f *PlanField) UnmarshalJSON(data []byte) error {
	var named struct {
		ID *string `json:"id"`
	}
	if json.Unmarshal(data, &named) == nil && named.ID != nil {
		var id planID
		err := strict.Unmarshal(data, &id)
		if err == nil && id.ID == "" {
			err = field.Errorf("id", "empty; want the hash of a plan")
		}
		f.ID = id.ID
		return err
	}
	f.Plan = &plan.Plan{}
	return f.Plan.UnmarshalJSON(data)
}

// withPlan is the JSON form of a request that holds a plan: the plan beside its other fields.
type withPlan[F any] struct {
	Plan   PlanField `json:"plan,omitzero"`
	Fields *F        `json:",inline"` // inlined by package strict
}

// WriteWithPlan writes a request that holds a plan.
func WriteWithPlan[F any](p *plan.Plan, id string, fields F) ([]byte, error) {
	whole, err := json.Marshal(struct {
		Plan PlanField `json:"plan,omitzero"`
	}{PlanField{p, id}})
	if err != nil {
		return nil, err
	}
	rest, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	return Besides(whole, rest), nil
}

// Besides joins the members of two objects.
func Besides(whole, rest []byte) []byte {
	const none = "{}"
	switch {
	case string(rest) == none:
		return whole
	case string(whole) == none:
		return rest
	}
	return append(append(whole[:len(whole)-1], ','), rest[1:]...)
}

// ReadBesides reads a request that holds a plan and whose other fields are those of several
// structs, which are given by pointers.
func ReadBesides(data []byte, p *PlanField, fields ...any) error {
	members := []reflect.StructField{{Name: "Plan", Type: reflect.TypeFor[*PlanField](), Tag: `json:"plan,omitzero"`}}
	for i, f := range fields {
		members = append(members, reflect.StructField{Name: fmt.Sprintf("Fields%d", i), Type: reflect.TypeOf(f), Tag: `json:",inline"`})
	}
	doc := reflect.New(reflect.StructOf(members))
	doc.Elem().Field(0).Set(reflect.ValueOf(p))
	for i, f := range fields {
		doc.Elem().Field(i + 1).Set(reflect.ValueOf(f))
	}
	return ReadRequest(data, doc.Interface())
}

// ReadWithPlan reads a request that holds a plan.
func ReadWithPlan[F any](data []byte, fields *F) (*plan.Plan, string, error) {
	doc := withPlan[F]{Fields: fields}
	err := ReadRequest(data, &doc)
	return doc.Plan.Plan, doc.Plan.ID, err
}

// OnePlan returns an error if a request has no plan or two.
func OnePlan(p *plan.Plan, id string) error {
	switch {
	case p == nil && id == "":
		return field.Errorf("plan", "missing; want a plan, or {\"id\": HASH} of one")
	case p != nil && id != "":
		return field.Errorf("plan", "a plan and an id: want one of them")
	}
	return nil
}
