package plannertest

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// Case is something to plan.
type Case struct {
	Name      string
	Fabric    fabric.Fabric
	Op        collective.Op
	Algorithm string // not for planners that make their own steps
	Size      units.Bytes
}

// Subject is what makes plans: a planner, or a program around one.
type Subject struct {
	Name string
	// Plan makes a plan for a case. An error that wraps planner.ErrInfeasible says that
	// there is none.
	Plan func(ctx context.Context, c Case) (*plan.Plan, error)
	// Known resolves the names in its plans.
	Known plan.Known
	// Covers are subjects that must never be faster, and must have no plan if this one has none.
	Covers []Subject
	// More lists the same subject with more and more effort: each must never be slower than the
	// one before.
	More []Subject
	// Foretell, if not nil, returns what the subject says about a plan's time without making the
	// plan.
	Foretell func(ctx context.Context, c Case) (Told, error)
	// Circuits says how the subject's circuits depend on the delay.
	Circuits planner.Circuits
	// Ports: one more port never makes the subject slower. That holds for subjects that choose
	// among all topologies and algorithms; an algorithm laid out for more ports is a different
	// one.
	Ports bool
}

// Told is what a planner predicts of a plan's time: bounds and the time itself, 0 if unknown.
type Told struct{ Least, Most, Time units.Time }

// Of makes a planner a subject. known must have all user-defined names.
func Of(p planner.Planner, known plan.Known) Subject {
	traits := planner.TraitsOf(p)
	request := func(c Case) (r planner.Request, err error) {
		r = planner.Request{Fabric: c.Fabric, Size: c.Size}
		if own := traits.Composes; own != nil {
			r.Collective = &collective.Collective{
				Op: c.Op, Algorithm: own.Algorithm, Nodes: c.Fabric.Nodes, Space: collective.SpaceOf(c.Op, c.Fabric.Nodes, 1),
			}
			if err := own.Supports(r.Collective, &r.Fabric); err != nil {
				return r, fmt.Errorf("%w: %w", planner.ErrInfeasible, err)
			}
			return r, nil
		}
		r.Collective, err = known.Algorithms.New(c.Op, c.Algorithm, c.Fabric.Nodes, c.Fabric.Ports)
		return r, err
	}
	return Subject{
		Name: p.Name(), Known: known, Circuits: traits.Circuits,
		Plan: func(ctx context.Context, c Case) (*plan.Plan, error) {
			r, err := request(c)
			if err != nil {
				return nil, err
			}
			return p.Plan(ctx, r)
		},
		Foretell: func(ctx context.Context, c Case) (told Told, err error) {
			r, err := request(c)
			if err == nil && traits.Time != nil {
				told.Time, err = traits.Time(ctx, r)
			}
			if err == nil && traits.Bound != nil {
				told.Least, told.Most, err = traits.Bound(ctx, r)
			}
			if err == nil && traits.Least != nil {
				least, err := traits.Least(ctx, r)
				told.Least = max(told.Least, least)
				return told, err
			}
			return told, err
		},
	}
}

// Covering returns subjects for the planners that a planner covers, which it looks up in a
// registry.
func Covering(p planner.Planner, all planner.Registry, known plan.Known) ([]Subject, error) {
	var subjects []Subject
	for _, name := range planner.TraitsOf(p).Covers {
		other, err := all.Lookup(name)
		if err != nil {
			return nil, fmt.Errorf("planner %s covers one that is not there: %w", p.Name(), err)
		}
		subjects = append(subjects, Of(other, known))
	}
	return subjects, nil
}
