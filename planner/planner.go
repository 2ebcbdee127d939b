// Package planner defines what a planner is: something that turns a fabric and a
// collective into a plan. The planners themselves are in the packages below it.
package planner

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

// ErrInfeasible marks a request for which the planner has no plan, such as one for a static plan
// on a topology that does not connect the GPUs.
var ErrInfeasible = errors.New("no plan was found")

// ErrImpossible marks a request that provably has no plan at all: no set of circuits connects the
// GPUs. It wraps ErrInfeasible.
var ErrImpossible error = impossible{}

type impossible struct{}

func (impossible) Error() string { return "no plan is possible" }

// Unwrap returns ErrInfeasible.
func (impossible) Unwrap() error { return ErrInfeasible }

// ErrBeyond means that a planner gave up because its plan would take longer than Request.Limit.
// The error may be a *Beyond, which bounds the time of that plan.
var ErrBeyond = errors.New("no plan within the limit")

// Beyond is an ErrBeyond with a lower bound on the time of the plan that the planner gave up.
type Beyond struct{ Least units.Time }

func (b *Beyond) Error() string { return fmt.Sprintf("%v: it takes %v at least", ErrBeyond, b.Least) }

// Unwrap returns ErrBeyond.
func (b *Beyond) Unwrap() error { return ErrBeyond }

// FastestOf makes a plan from each candidate and returns the fastest, the first of equals. It
// skips candidates without a plan. If none has a plan, FastestOf returns the last candidate's
// error, or the given reason if there are no candidates.
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

// limitTolerance is the relative excess from which a time counts as beyond the limit. Sums of the
// same times in different orders differ by much less.
const limitTolerance = 1e-9

// Request is the work to plan, with limits on the plan.
type Request struct {
	Fabric     fabric.Fabric // must be valid
	Collective *collective.Collective
	Size       units.Bytes // > 0, as the operation defines it
	// Limit, if above 0, is the longest time that is still useful. A planner may return an error
	// that wraps ErrBeyond as soon as it knows that its plan takes longer. A limit never changes
	// a plan that is within it.
	Limit units.Time
	// Bare says that only the plan is wanted: its baselines (SameAlgorithm) need not be computed.
	// Traits.Compare adds them later.
	Bare bool
	// Whole says that a plan is useful only if its transfers carry whole values
	// (collective.Part).
	Whole bool
	// Parts, if above 0, is the largest number of chunks into which the data of one GPU may be
	// cut; a plan with more is useless. A planner that would cut the data more finely makes its
	// best plan with this many.
	Parts int
	// Alike says that a plan is useful only if all GPUs play the same part in it, so that its
	// steps list the part of one GPU. Only a planner with Traits.Listed need heed it.
	Alike bool
	// Memory, if not nil, is shared by consecutive requests that differ in bytes and in how often
	// steps are repeated. Planners may keep results about steps in it.
	Memory *flow.Memory
	// Programs, if not nil, is shared by any requests, concurrent or not. Planners may keep the
	// linear programs that they solved in it.
	Programs *flow.Memory
	// Kept, if not nil, is also shared by any requests. Planners may keep anything else in it
	// that many requests have in common.
	Kept *Memory
	// Progress, if not nil, is called now and then from the planning goroutine.
	Progress func(done, total int)
	// Status, if not nil, is called with a line of text about the results so far.
	Status func(text string)
	// Better, if not nil, is called with every plan that is the fastest of those compared so far.
	// It must not change the plan.
	Better func(p *plan.Plan)
	// Made, if not nil, is called with every plan that auto compares, whether or not it is the
	// fastest. It must not change the plan.
	Made func(p *plan.Plan)
}

// Beyond returns an error that wraps ErrBeyond if a plan that takes at least this long exceeds
// the limit, or nil.
func (r *Request) Beyond(least units.Time) error {
	if r.Limit > 0 && Above(least, r.Limit) {
		return &Beyond{least}
	}
	return nil
}

// Above reports whether a time exceeds a limit by more than rounding errors.
func Above(time, limit units.Time) bool { return time > limit*(1+limitTolerance) }

// Say calls Status if there is one.
func (r *Request) Say(format string, args ...any) {
	if r.Status != nil {
		r.Status(fmt.Sprintf(format, args...))
	}
}

// Report calls Progress if there is one.
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

// Planner makes plans. Plan returns a priced plan with its bound and baselines; it
// is deterministic, safe for concurrent use, and stops soon after ctx is done,
// returning ctx.Err(). Errors that wrap ErrInfeasible mean that there is no plan.
type Planner interface {
	Name() string
	About() string // one line
	Plan(ctx context.Context, r Request) (*plan.Plan, error)
}

// Registry is a list of planners in the order of their documentation.
type Registry []Planner

// Lookup returns the planner of that name.
func (r Registry) Lookup(name string) (Planner, error) {
	for _, p := range r {
		if p.Name() == name {
			return p, nil
		}
	}
	return nil, fmt.Errorf("unknown planner %q; use %s", name, strings.Join(r.Names(), ", "))
}

// Names lists the names of the planners.
func (r Registry) Names() []string {
	names := make([]string, len(r))
	for i, p := range r {
		names[i] = p.Name()
	}
	return names
}
