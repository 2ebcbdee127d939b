package command

import (
	"context"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/compile/harvest"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/plan"
)

// ScheduleFields are a HARVEST schedule, instead of the plan of a request, and the information
// that it lacks. Anything not given is assumed, and the answer says so.
type ScheduleFields struct {
	// Schedule is the document, as compile to harvest writes it.
	Schedule *harvest.Schedule `json:"schedule,omitempty"`
	// Operation says what the schedule performs, with its size and algorithm; nil: its
	// collective.
	Operation *collective.Operation `json:"operation,omitempty"`
	// Pattern is what the schedule performs, instead of Operation.
	Pattern *collective.PatternFile `json:"pattern,omitempty"`
	// Fabric is the machine; nil: the default one with the nodes, ports and delay of the schedule.
	Fabric *fabric.Fabric `json:"fabric,omitempty"`
}

// OnePlan returns an error unless a request has exactly one of a plan, the ID of a plan, and a
// schedule.
func (s *ScheduleFields) OnePlan(p *plan.Plan, id string) error {
	if s.Schedule == nil {
		for _, given := range []struct {
			name string
			is   bool
		}{{"operation", s.Operation != nil}, {"pattern", s.Pattern != nil}, {"fabric", s.Fabric != nil}} {
			if given.is {
				return field.Errorf(given.name, "only for a HARVEST schedule; a plan brings its own")
			}
		}
		return OnePlan(p, id)
	}
	switch {
	case p != nil || id != "":
		return field.Errorf("schedule", "a plan and a schedule: want one of them")
	case s.Operation != nil && s.Pattern != nil:
		return field.Errorf("pattern", "a pattern and an operation: want one of them")
	}
	if err := s.Schedule.Validate(); err != nil {
		return field.In("schedule", err)
	}
	if s.Fabric != nil {
		return field.In("fabric", s.Fabric.Validate())
	}
	return nil
}

// Lift returns the plan of the schedule; nil if there is no schedule.
func (s *ScheduleFields) Lift(ctx context.Context) (*harvest.Lifted, error) {
	if s.Schedule == nil {
		return nil, nil
	}
	given := harvest.Given{Fabric: s.Fabric, Operation: s.Operation}
	if s.Pattern != nil {
		given.Pattern = &s.Pattern.Sized
	}
	lifted, err := s.Schedule.Lift(ctx, given)
	if err != nil && ctx.Err() == nil {
		err = field.In("schedule", err)
	}
	return lifted, err
}

// Correct returns the plan of the schedule, or the given plan if there is no schedule, after
// verifying it. It also returns what it assumed because the schedule leaves it open.
func (s *ScheduleFields) Correct(ctx context.Context, e *Run, p *plan.Plan, id string) (correct *plan.Plan, assumed []string, err error) {
	lifted, err := s.Lift(ctx)
	if err != nil {
		return nil, nil, err
	}
	if lifted != nil {
		p, assumed = lifted.Plan, lifted.Assumed
	}
	correct, err = e.CorrectPlan(ctx, p, id)
	return correct, assumed, err
}
