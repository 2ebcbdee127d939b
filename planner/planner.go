// Package planner defines what a planner is: something that turns a fabric and a collective into
// a plan. The planners themselves are in the packages below it.
package planner

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

// ErrInfeasible marks a request for which the planner has no plan, such as a static plan on a
// topology that does not connect the GPUs.
var ErrInfeasible = errors.New("no plan was found")

// ErrImpossible marks a request that provably has no plan at all, because the GPUs are not
// connected whatever circuits are set up. It wraps ErrInfeasible.
var ErrImpossible error = impossible{}

type impossible struct{}

func (impossible) Error() string { return "no plan is possible" }

// Unwrap returns ErrInfeasible.
func (impossible) Unwrap() error { return ErrInfeasible }

// ErrBeyond marks a plan that was given up because it takes longer than Request.Limit. The error
// may be a *Beyond, which says more.
var ErrBeyond = errors.New("no plan within the limit")

// Beyond says how long a plan that was given up takes at least.
type Beyond struct{ Least units.Time }

func (b *Beyond) Error() string { return fmt.Sprintf("%v: it takes %v at least", ErrBeyond, b.Least) }

// Unwrap returns ErrBeyond.
func (b *Beyond) Unwrap() error { return ErrBeyond }

// FastestOf makes a plan of each candidate and returns the fastest, the first one in a tie.
// Candidates without a plan are skipped. If no candidate has a plan, FastestOf returns the error
// of the last one, or the given reason if there are no candidates.
func FastestOf[T any](candidates []T, reason error, make func(T) (*plan.Plan, error)) (*plan.Plan, error) {
	var best *plan.Plan
	for _, c := range candidates {
		made, err := make(c)
		switch {
		case errors.Is(err, ErrInfeasible):
			reason = err
		case err != nil:
			return nil, err
		case best == nil || made.Cost.Total() < best.Cost.Total():
			best = made
		}
	}
	if best == nil {
		return nil, reason
	}
	return best, nil
}

// limitTolerance is how far beyond the limit a time must be to count as beyond it, as a fraction.
// Sums of the same times in another order differ by much less.
const limitTolerance = 1e-9

// Request says what to plan.
type Request struct {
	Fabric     fabric.Fabric // must be valid
	Collective *collective.Collective
	Size       units.Bytes // > 0, as the operation defines it
	// Limit, if above 0, is the longest time that is still useful. A planner may return an error
	// that wraps ErrBeyond as soon as it knows that its plan takes longer. A plan within the
	// limit must be the one that the planner would make without a limit.
	Limit units.Time
	// Bare says that the plan need not have the plans that it is compared with, its
	// SameAlgorithm. Traits.Compare adds those later.
	Bare bool
	// Whole says that a plan is of use only if its transfers carry whole values
	// (collective.Part).
	Whole bool
	// Parts, if above 0, limits the number of chunks that the data of one GPU may be cut into;
	// plans with more are of no use. A planner that would cut the data finer makes its best plan
	// within this limit.
	Parts int
	// Alike says that a plan is of use only if all GPUs do the same, each relative to itself, so
	// that its steps list the part of one GPU. Only a planner with Traits.Listed need heed it.
	Alike bool
	// Memory, if not nil, is shared by consecutive requests that differ in bytes and in how often
	// steps are repeated. Planners may keep in it what they found out about steps.
	Memory *flow.Memory
	// Programs, if not nil, is shared by requests that may differ in anything and may run at the
	// same time. Planners may keep in it the linear programs that they solved.
	Programs *flow.Memory
	// Kept, if not nil, is shared like Programs. Planners may keep in it anything else that is
	// the same for many requests.
	Kept *Memory
	// Progress, if not nil, is called now and then from the planning goroutine.
	Progress func(done, total int)
	// Status, if not nil, is called with a line about what has been found so far.
	Status func(text string)
	// Better, if not nil, is called with every plan that is the fastest of those compared so far.
	// It must not change the plan.
	Better func(p *plan.Plan)
	// Made, if not nil, is called with every plan that auto compares, the fastest or not. It must
	// not change the plan.
	Made func(p *plan.Plan)
}

// Beyond returns an error that wraps ErrBeyond if a plan that takes at least the given time
// exceeds the limit, else nil.
func (r *Request) Beyond(least units.Time) error {
	if r.Limit > 0 && Above(least, r.Limit) {
		return &Beyond{least}
	}
	return nil
}

// Above reports whether a time is above a limit by more than rounding.
func Above(time, limit units.Time) bool { return time > limit*(1+limitTolerance) }

// Below returns a limit that a plan of the given time does not keep, by a little more than the
// tolerances of all searches that pass the limit on.
func Below(time units.Time) units.Time { return time * (1 - 4*limitTolerance) }

// Say calls Status, if set.
func (r *Request) Say(format string, args ...any) {
	if r.Status != nil {
		r.Status(fmt.Sprintf(format, args...))
	}
}

// Report calls Progress, if set.
func (r *Request) Report(done, total int) {
	if r.Progress != nil {
		r.Progress(done, total)
	}
}

// Validate returns an error if the request makes no sense.
func (r *Request) Validate() error {
	if err := r.Fabric.Validate(); err != nil {
		return err
	}
	if r.Size <= 0 {
		return fmt.Errorf("size: must be above 0B")
	}
	if r.Collective.Nodes != r.Fabric.Nodes {
		return fmt.Errorf("the collective is for %d nodes, the fabric has %d", r.Collective.Nodes, r.Fabric.Nodes)
	}
	return nil
}

// Planner makes plans. Plan returns a priced plan with its bound and baselines. It is
// deterministic, safe for concurrent use, and stops soon after ctx is done, returning ctx.Err().
// Errors that wrap ErrInfeasible mean that there is no plan.
type Planner interface {
	Name() string
	About() string // one line
	Plan(ctx context.Context, r Request) (*plan.Plan, error)
}

// Registry is a list of planners in the order of their documentation.
type Registry []Planner

// Lookup returns the planner with the given name.
func (r Registry) Lookup(name string) (Planner, error) {
	for _, p := range r {
		if p.Name() == name {
			return p, nil
		}
	}
	return nil, fmt.Errorf("unknown planner %q; use %s", name, strings.Join(r.Names(), ", "))
}

// Names lists the names of the planners.
func (r Registry) Names() []string { return each.Of(r, Planner.Name) }
