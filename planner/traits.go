package planner

import (
	"context"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/envelope"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

// Described is a planner that says more about itself than its name. Other packages ask TraitsOf
// and never test for the planner's name or type.
type Described interface {
	Planner
	Traits() Traits
}

// TraitsOf returns the traits of a planner, or the zero value if it has none.
func TraitsOf(p Planner) Traits {
	if d, ok := p.(Described); ok {
		return d.Traits()
	}
	return Traits{}
}

// Traits say what a planner can do besides planning, and what holds for its plans. The zero value
// describes a planner for the steps of any algorithm on any fabric, about which nothing else is
// known. A planner that wraps another has only the traits that it sets itself. All functions
// return errors as Plan does.
type Traits struct {
	// Baseline is the kind of baseline that the plans of this planner serve as; most planners
	// serve as none.
	Baseline plan.Baseline
	// Best: the planner stands for all planners of its registry and returns their fastest plan.
	Best bool
	// Improves, if not nil, says that the planner can search circuits for the steps that another
	// planner composed.
	Improves *Improver
	// Options, if not nil, says how the planner takes options.
	Options *Configurable
	// Ops are the operations that the planner supports, if only a few. For other operations its
	// options have no effect.
	Ops []collective.Op
	// Circuits says how the planner's circuits depend on the delay.
	Circuits Circuits
	// Covers names planners that this one is never slower than, because its plans include theirs.
	// It has a plan wherever they have one.
	Covers []string
	// Listed: the plans list every GPU's part, even where one GPU stands for all.
	Listed bool
	// Compact, if not nil, reports whether the plans are small nevertheless on a fabric of many
	// GPUs.
	Compact func(f *fabric.Fabric) bool
	// Last: the planner asks other planners for plans of other operations. So it comes after all
	// planners that plan the operation itself; its Bound may show that it need not be asked.
	Last bool
	// Partly: the planner leaves part of the fabric unused. So it comes after those that may use
	// all of it.
	Partly bool
	// Applies, if not nil, reports why the planner makes no plan on a fabric, or nil.
	Applies func(f *fabric.Fabric) error
	// Composes, if not nil, says that the planner makes the steps of an operation itself,
	// together with the circuits, instead of taking the steps of an algorithm.
	Composes *Composer
	// Variants, if not nil, lists planners for a fabric, one for each of the ways to make the
	// plan that this planner chooses from. A comparison has a row for each.
	Variants func(f *fabric.Fabric) []Variant

	// Bound bounds the time of the plan from below and above, in a fraction of the time that
	// planning takes. The upper bound may be +Inf.
	Bound func(ctx context.Context, r Request) (least, most units.Time, err error)
	// Most returns a time that the plan does not exceed, without making the plan; +Inf if none is
	// certain. It is for planners that know no lower bound of their own.
	Most func(ctx context.Context, r Request) (units.Time, error)
	// Least returns the lower bound of Bound faster. It is for planners that leave nothing to
	// choose: the pairs of a step determine its circuits, so everything but the bytes on circuits
	// is exactly what the plan takes.
	Least func(ctx context.Context, r Request) (units.Time, error)
	// Time returns how long the plan takes, without making it. It uses only the pairs of the
	// steps and their bytes, so a sketch (algorithms.Pieces) is enough.
	Time func(ctx context.Context, r Request) (units.Time, error)
	// BoundLine bounds the time of the plan as a function of the reconfiguration delay. It is for
	// planners whose circuits do not depend on the delay: Slope is the exact number of
	// reconfigurations. It solves no linear program. The request leaves its delay open. The delay
	// must be the same for every reconfiguration; otherwise BoundLine reports false.
	BoundLine func(ctx context.Context, r Request) (least, most envelope.Line, ok bool, err error)
	// AnyDelay prepares a valid request that leaves its delay open for questions about one delay
	// after the other. What does not depend on the delay is computed once.
	AnyDelay func(r Request) BestAt
	// Compare adds the plans to compare with to a plan that this planner made for a bare request.
	Compare func(ctx context.Context, r Request, p *plan.Plan) error
	// Plans makes at most the given number of plans for a request, the fastest first.
	Plans func(ctx context.Context, r Request, most int) ([]*plan.Plan, error)
	// Choices says what each choice in the plan saves. The request is the plan's.
	Choices func(ctx context.Context, r Request) ([]Choice, error)
}

// BestAt returns the line of the best plan if every reconfiguration takes wait ns, plus its
// barrier and what depends on the circuits. Slope is the number of reconfigurations. If limit is
// above 0 and the plan takes longer, the error may wrap ErrBeyond.
type BestAt func(ctx context.Context, wait float64, limit units.Time) (envelope.Line, error)

// Improver says how a planner improves on the circuits that another planner chose.
type Improver struct {
	Asked bool   // whether the planner's options ask for it
	How   string // the option that asks for it, in words: "option word"
}

// Composer says how a planner makes its own steps. The Collective of its requests has an
// operation, a space and nodes but no steps.
type Composer struct {
	Algorithm string // of its plans
	// Supports reports why the planner cannot plan an operation on a fabric, or nil.
	Supports func(c *collective.Collective, f *fabric.Fabric) error
}

// Variant is one of the ways that a planner chooses from, as a planner of its own.
type Variant struct {
	Strategy string
	Planner  Planner
}

// Choice is something that the planner chose in its plan for a request.
type Choice struct {
	What string
	// Fewer: What is a number of reconfigurations, and Without has fewer of them.
	Fewer bool
	// Without is the planner's fastest plan without this choice; nil if there is none.
	Without *plan.Plan
}

// Baseline returns the planner whose plans serve as the given baseline, nil if there is none.
func (r Registry) Baseline(b plan.Baseline) Planner {
	return r.Find(func(t Traits) bool { return t.Baseline == b })
}

// Improver returns the planner that can search circuits for the steps of others, nil if there is
// none.
func (r Registry) Improver() Planner {
	return r.Find(func(t Traits) bool { return t.Improves != nil })
}

// Best returns the planner that stands for all others, nil if there is none.
func (r Registry) Best() Planner { return r.Find(func(t Traits) bool { return t.Best }) }

// Composing returns the planner that makes the steps of the named algorithm, nil if there is
// none.
func (r Registry) Composing(algorithm string) Planner {
	return r.Find(func(t Traits) bool { return t.Composes != nil && t.Composes.Algorithm == algorithm })
}

// Uncovered returns the planners except those that another of them is never slower than.
func (r Registry) Uncovered() Registry {
	return slices.DeleteFunc(slices.Clone(r), func(p Planner) bool {
		return slices.ContainsFunc(r, func(other Planner) bool {
			return other.Name() != p.Name() && slices.Contains(TraitsOf(other).Covers, p.Name())
		})
	})
}

// Find returns the first planner for whose traits holds returns true, nil if there is none.
func (r Registry) Find(holds func(Traits) bool) Planner {
	for _, p := range r {
		if holds(TraitsOf(p)) {
			return p
		}
	}
	return nil
}
