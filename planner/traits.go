package planner

import (
	"context"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/envelope"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

// Described is a planner that declares traits. Callers use TraitsOf; they never test a planner's
// name or type.
type Described interface {
	Planner
	Traits() Traits
}

// TraitsOf returns the traits of a planner, or the zero value if it declares none.
func TraitsOf(p Planner) Traits {
	if d, ok := p.(Described); ok {
		return d.Traits()
	}
	return Traits{}
}

// Traits say what a planner can do besides planning, and what holds for its plans. The zero value
// describes a planner that takes the steps of any algorithm on any fabric; nothing else is known
// of it. A planner that wraps another has only the traits that it declares itself. All functions
// return the same errors as Plan.
type Traits struct {
	// Baseline is the baseline that this planner provides for comparisons. Most planners provide
	// none.
	Baseline plan.Baseline
	// Best: the planner stands for all planners of its registry, and its plan is the fastest of
	// all.
	Best bool
	// Improves, if not nil, says that the planner can search for circuits for steps that another
	// planner composed.
	Improves *Improver
	// Options, if not nil, says how the planner takes options.
	Options *Configurable
	// Ops lists the operations that the planner supports, if it supports only a few. Its options
	// have no effect on others.
	Ops []collective.Op
	// Circuits says how the planner's circuits depend on the delay.
	Circuits Circuits
	// Covers names the planners that this one is never slower than, since its plans include
	// theirs. It has a plan whenever they have one.
	Covers []string
	// Listed: plans list every GPU's part, even if one GPU could stand for all.
	Listed bool
	// Compact, if not nil, reports whether such plans stay small on a fabric of many GPUs.
	Compact func(f *fabric.Fabric) bool
	// Last: the planner asks other planners for plans of other operations. It runs after all
	// planners that plan the operation itself, because its Bound may by then show that it is not
	// needed.
	Last bool
	// Partly: the planner leaves part of the fabric unused, so it runs after those that may use
	// all of it.
	Partly bool
	// Applies, if not nil, returns why the planner makes no plan on a fabric, or nil.
	Applies func(f *fabric.Fabric) error
	// Composes, if not nil, says that the planner makes the steps of an operation itself,
	// together with the circuits, instead of taking the steps of an algorithm.
	Composes *Composer
	// Variants, if not nil, lists, for a fabric, one planner for each of the ways that this
	// planner chooses from. A comparison has a row for each.
	Variants func(f *fabric.Fabric) []Variant

	// Bound returns a lower and an upper bound on the time of the plan, in a fraction of the time
	// that planning takes. The upper bound may be +Inf.
	Bound func(ctx context.Context, r Request) (least, most units.Time, err error)
	// Most returns an upper bound on the time of the plan without making it, for a planner that
	// has no lower bound of its own; +Inf if no bound is known.
	Most func(ctx context.Context, r Request) (units.Time, error)
	// FirstLook returns a quick lower bound on the plan's time, for use before Bound; 0 if
	// nothing is known.
	FirstLook func(r Request) units.Time
	// Least returns the lower bound of Bound, but faster. It is for planners that have no choices
	// to make: the pairs of a step alone determine its circuits, and the bound is exact except
	// for the bytes on circuits.
	Least func(ctx context.Context, r Request) (units.Time, error)
	// Time returns how long the plan takes, without making it. It uses only the pairs of the
	// steps and their bytes, so a sketch (algorithms.Pieces) is enough.
	Time func(ctx context.Context, r Request) (units.Time, error)
	// BoundLine bounds the plan's time as a function of what a reconfiguration takes, for a
	// planner whose circuits do not depend on that. Slope is the number of reconfigurations,
	// which is exact. BoundLine solves no linear program. It leaves the request's delay open, and
	// reports false unless the delay is the same for every reconfiguration.
	BoundLine func(ctx context.Context, r Request) (least, most envelope.Line, ok bool, err error)
	// AnyDelay prepares a valid request, whose delay is left open, for questions about one delay
	// after another. It computes everything that does not depend on the delay only once.
	AnyDelay func(r Request) BestAt
	// Compare adds the baselines to a plan that this planner made for a bare request.
	Compare func(ctx context.Context, r Request, p *plan.Plan) error
	// Plans makes up to most plans for a request, the fastest first.
	Plans func(ctx context.Context, r Request, most int) ([]*plan.Plan, error)
	// Choices lists the choices in the planner's plan for this request, and what each saves.
	Choices func(ctx context.Context, r Request) ([]Choice, error)
}

// BestAt returns the time of the best plan as a line in the wait, if every reconfiguration takes
// wait ns in addition to its barrier and to what depends on the circuits. Slope is the number of
// reconfigurations. If limit is above 0 and the plan takes longer, the error may wrap ErrBeyond.
type BestAt func(ctx context.Context, wait float64, limit units.Time) (envelope.Line, error)

// Improver says how a planner improves on circuits that another planner chose.
type Improver struct {
	Asked bool   // whether its options ask it to
	How   string // how to ask it to, in words: "option word"
}

// Composer describes a planner that makes its own steps. The Collective of its requests has an
// operation, a space and nodes but no steps.
type Composer struct {
	Algorithm string // of its plans
	// Supports returns why the planner cannot plan an operation on a fabric, or nil.
	Supports func(c *collective.Collective, f *fabric.Fabric) error
}

// Variant is one of the ways that a planner chooses from, as a planner of its own.
type Variant struct {
	Strategy string
	Planner  Planner
}

// Choice is one of the decisions in a planner's plan for a request.
type Choice struct {
	What string
	// Fewer: What says how often circuits change, and Without has fewer reconfigurations.
	Fewer bool
	// Without is the planner's fastest plan without this choice; nil if there is none.
	Without *plan.Plan
}

// Baseline returns the planner that provides a baseline, or nil.
func (r Registry) Baseline(b plan.Baseline) Planner {
	return r.Find(func(t Traits) bool { return t.Baseline == b })
}

// Improver returns the planner that can search for circuits for any steps, or nil.
func (r Registry) Improver() Planner {
	return r.Find(func(t Traits) bool { return t.Improves != nil })
}

// Best returns the planner that stands for all others, or nil.
func (r Registry) Best() Planner { return r.Find(func(t Traits) bool { return t.Best }) }

// Composing returns the planner that composes the steps of the named algorithm, or nil.
func (r Registry) Composing(algorithm string) Planner {
	return r.Find(func(t Traits) bool { return t.Composes != nil && t.Composes.Algorithm == algorithm })
}

// Find returns the first planner whose traits satisfy holds, or nil.
func (r Registry) Find(holds func(Traits) bool) Planner {
	for _, p := range r {
		if holds(TraitsOf(p)) {
			return p
		}
	}
	return nil
}
