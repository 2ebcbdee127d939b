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

// ErrInfeasible marks a request that no plan of that planner can meet, such as a
// static plan on a topology that does not connect the GPUs.
var ErrInfeasible = errors.New("no plan was found")

// ErrImpossible marks a request that no plan at all can meet, as has been proven: the GPUs are not
// connected, whatever circuits are set up. It wraps ErrInfeasible.
var ErrImpossible error = impossible{}

type impossible struct{}

func (impossible) Error() string { return "no plan is possible" }

// Unwrap returns ErrInfeasible.
func (impossible) Unwrap() error { return ErrInfeasible }

// ErrBeyond marks a plan that was given up because it takes longer than Request.Limit. The
// error may be a *Beyond, which says more.
var ErrBeyond = errors.New("no plan within the limit")

// Beyond says how long a plan that was given up takes at least.
type Beyond struct{ Least units.Time }

func (b *Beyond) Error() string { return fmt.Sprintf("%v: it takes %v at least", ErrBeyond, b.Least) }

// Unwrap returns ErrBeyond.
func (b *Beyond) Unwrap() error { return ErrBeyond }

// FastestOf returns the fastest of the plans that are made of some candidates, the first of equals.
// Candidates without a plan are passed over; where none has one, the last one's reason is returned,
// or the given one where there is no candidate.
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

// limitTolerance is how far beyond the limit a time must be to count as beyond it: sums of
// the same times in another order differ by much less.
const limitTolerance = 1e-9

// Request is what to plan.
type Request struct {
	Fabric     fabric.Fabric // must be valid
	Collective *collective.Collective
	Size       units.Bytes // > 0, as the operation defines it
	// Limit, if above 0, is the longest time that is still useful: a planner may return an error
	// that wraps ErrBeyond as soon as it knows that its plan takes longer. A plan within the
	// limit is the one that it would make without a limit.
	Limit units.Time
	// Bare says that a plan is wanted for its own sake: what it is compared with, its
	// SameAlgorithm, need not be found. Traits.Compare adds it later.
	Bare bool
	// Whole says that a plan is of use only if its transfers carry whole values (collective.Part).
	Whole bool
	// Parts, if above 0, is into how many chunks the data of one GPU may be cut: a plan in more is
	// of no use. A planner that would cut it finer makes its best plan in so many.
	Parts int
	// Alike says that a plan is of use only if all GPUs do the same in it, each for itself: its
	// steps list the part of one. Only a planner with Traits.Listed need heed it.
	Alike bool
	// Memory, if not nil, is shared by requests, one after the other, that differ in bytes and
	// in how often steps are repeated; planners may keep in it what they found of steps.
	Memory *flow.Memory
	// Programs, if not nil, is shared by requests whatever they differ in, at the same time or
	// not; planners may keep in it the linear programs that they solved.
	Programs *flow.Memory
	// Kept, if not nil, is likewise shared by requests whatever they differ in; planners may
	// keep in it anything else that is the same for many.
	Kept *Memory
	// Progress, if not nil, is called now and then from the planning goroutine.
	Progress func(done, total int)
	// Status, if not nil, is called with a line on what was found so far.
	Status func(text string)
	// Better, if not nil, is called with every plan that is the fastest of those compared
	// so far. It must not change it.
	Better func(p *plan.Plan)
	// Made, if not nil, is called with every plan that auto compares, the fastest or not. It
	// must not change it.
	Made func(p *plan.Plan)
}

// Beyond returns an error that wraps ErrBeyond if a plan that takes at least this long exceeds
// the limit, else nil.
func (r *Request) Beyond(least units.Time) error {
	if r.Limit > 0 && Above(least, r.Limit) {
		return &Beyond{least}
	}
	return nil
}

// Above reports whether a time is above a limit by more than rounding.
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

// Validate reports what makes the request meaningless.
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
