package planner

import (
	"context"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/envelope"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

// Described is a planner that says more of itself than its name. Everybody else asks TraitsOf, and
// never for the planner's name or type.
type Described interface {
	Planner
	Traits() Traits
}

// TraitsOf returns what a planner says of itself; the zero value where it says nothing.
func TraitsOf(p Planner) Traits {
	if d, ok := p.(Described); ok {
		return d.Traits()
	}
	return Traits{}
}

// Traits say what a planner can do besides planning, and what holds for its plans. The zero value
// is a planner for the steps of any algorithm on any fabric, of which nothing else is known. A
// planner that wraps another has only the traits that it gives itself. Errors of all functions are
// those of Plan.
type Traits struct {
	// Baseline is the kind of plan that this planner is compared for; none of most planners.
	Baseline plan.Baseline
	// Best: it stands for all planners of its registry, and is the fastest of them.
	Best bool
	// Improves, if not nil, says that it can look for circuits for steps that another planner
	// composed.
	Improves *Improver
	// Options, if not nil, is how it takes options.
	Options *Configurable
	// Ops are the operations that it plans, if it is for a few: for others its options have no
	// effect.
	Ops []collective.Op
	// Circuits says how its circuits depend on the delay.
	Circuits Circuits
	// Covers names planners that it is never slower than, since its plans include theirs; it has
	// a plan wherever they have.
	Covers []string
	// Listed: its plans list every GPU's part, even where one stands for all.
	Listed bool
	// Compact, if not nil, reports that on a fabric of many GPUs they are small nevertheless.
	Compact func(f *fabric.Fabric) bool
	// Last: it asks other planners for plans of other operations, and so comes after all that plan
	// the operation itself; its Bound may say that it need not be asked.
	Last bool
	// Partly: it leaves part of the fabric unused, and so comes after those that may use all of it.
	Partly bool
	// Applies, if not nil, reports why it makes no plan on a fabric, or nil.
	Applies func(f *fabric.Fabric) error
	// Composes, if not nil, says that it makes the steps of an operation itself, together with
	// the circuits, instead of taking those of an algorithm.
	Composes *Composer
	// Variants, if not nil, lists planners for a fabric that each make the plan in one of the
	// ways that this one chooses from. A comparison has a row for each.
	Variants func(f *fabric.Fabric) []Variant

	// Bound bounds the time of its plan from below and above, in a fraction of the time that
	// planning takes. The upper bound may be +Inf.
	Bound func(ctx context.Context, r Request) (least, most units.Time, err error)
	// Most is a time that its plan does not exceed, of a planner that knows no lower bound of its
	// own, without making the plan; +Inf where nothing is sure.
	Most func(ctx context.Context, r Request) (units.Time, error)
	// FirstLook is a quick lower bound on its plan's time, before Bound is called; 0 if it knows
	// nothing.
	FirstLook func(r Request) units.Time
	// Least is the lower bound of Bound, computed faster, of a planner that leaves nothing to
	// choose: the pairs of a step alone say which circuits it has, and everything but the bytes
	// on circuits is what the plan takes.
	Least func(ctx context.Context, r Request) (units.Time, error)
	// Time is how long its plan takes, without making it. It uses only the pairs of the steps
	// and their bytes, so a sketch (algorithms.Pieces) is enough.
	Time func(ctx context.Context, r Request) (units.Time, error)
	// BoundLine bounds its time as a function of what a change takes, of a planner whose circuits
	// do not depend on that: Slope is the number of changes, which is exact. It solves no linear
	// program. The request's delay is left open, and must be the same for every change; else it
	// reports false.
	BoundLine func(ctx context.Context, r Request) (least, most envelope.Line, ok bool, err error)
	// AnyDelay prepares a request whose delay is left open, and which must be valid, for questions
	// about one delay after the other: what does not depend on the delay is found out once.
	AnyDelay func(r Request) BestAt
	// Compare adds to a plan that it made for a bare request what that is compared with.
	Compare func(ctx context.Context, r Request, p *plan.Plan) error
	// Plans makes several plans for a request, up to a given number, the fastest first.
	Plans func(ctx context.Context, r Request, most int) ([]*plan.Plan, error)
	// Choices says what the choices of its plan save. The request is the plan's.
	Choices func(ctx context.Context, r Request) ([]Choice, error)
}

// BestAt returns the line of the best plan if every change takes wait ns in addition to its barrier
// and to what depends on the circuits: Slope is the number of changes. If limit is above 0 and the
// plan takes longer, the error may wrap ErrBeyond.
type BestAt func(ctx context.Context, wait float64, limit units.Time) (envelope.Line, error)

// Improver is how a planner improves on circuits that another planner chose.
type Improver struct {
	Asked bool   // to do so, by the options that it has
	How   string // it is asked, in words: "option word"
}

// Composer is how a planner makes its own steps. The Collective of its requests has an operation,
// a space and nodes but no steps.
type Composer struct {
	Algorithm string // that its plans have
	// Supports reports why it cannot plan an operation on a fabric, or nil.
	Supports func(c *collective.Collective, f *fabric.Fabric) error
}

// Variant is one of the ways that a planner chooses from, as a planner.
type Variant struct {
	Strategy string
	Planner  Planner
}

// Choice is something that the planner's plan for a request has.
type Choice struct {
	What string
	// Fewer: What is how often circuits change, and Without has fewer changes.
	Fewer bool
	// Without is the planner's fastest plan without this choice; nil if there is none.
	Without *plan.Plan
}

// Baseline returns the planner that others are compared with as a baseline, nil where there is
// none.
func (r Registry) Baseline(b plan.Baseline) Planner {
	return r.Find(func(t Traits) bool { return t.Baseline == b })
}

// Improver returns the planner that can look for circuits for any steps, nil where there is none.
func (r Registry) Improver() Planner {
	return r.Find(func(t Traits) bool { return t.Improves != nil })
}

// Best returns the planner that stands for all others, nil where there is none.
func (r Registry) Best() Planner { return r.Find(func(t Traits) bool { return t.Best }) }

// Composing returns the planner that makes the steps of that name, nil where there is none.
func (r Registry) Composing(algorithm string) Planner {
	return r.Find(func(t Traits) bool { return t.Composes != nil && t.Composes.Algorithm == algorithm })
}

// Find returns the first planner whose traits are as asked, nil where there is none.
func (r Registry) Find(holds func(Traits) bool) Planner {
	for _, p := range r {
		if holds(TraitsOf(p)) {
			return p
		}
	}
	return nil
}
