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
var ErrInfeasible = errors.New("no plan is possible")

// ErrBeyond marks a plan that was given up because it takes longer than Request.Limit. The
// error may be a *Beyond, which says more.
var ErrBeyond = errors.New("no plan within the limit")

// Beyond says how long a plan that was given up takes at least.
type Beyond struct{ Least units.Time }

func (b *Beyond) Error() string { return fmt.Sprintf("%v: it takes %v at least", ErrBeyond, b.Least) }

// Unwrap returns ErrBeyond.
func (b *Beyond) Unwrap() error { return ErrBeyond }

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
	// SameAlgorithm, need not be found. A Comparer adds it later.
	Bare bool
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

// Bounder is a planner that can bound the time of its plan from below and above, in a fraction of
// the time that planning takes. The upper bound may be +Inf. Errors are those of Plan.
type Bounder interface {
	Planner
	Bound(ctx context.Context, r Request) (least, most units.Time, err error)
}

// Glancer is a planner that can give a quick lower bound on its plan's time, before Bound is
// called; 0 if it knows nothing.
type Glancer interface {
	Planner
	FirstLook(r Request) units.Time
}

// Forced is a planner that leaves nothing to choose: the pairs of a step alone say which
// circuits it has.
type Forced interface {
	Planner
	// Least is a Bounder's lower bound, computed faster: everything but the bytes on circuits is
	// what the plan takes. Errors are those of Plan.
	Least(ctx context.Context, r Request) (units.Time, error)
}

// Timer is a planner that can say how long its plan takes without making it. It uses only the
// pairs of the steps and their bytes, so a sketch (collective.Pieces) is enough. Errors are those
// of Plan.
type Timer interface {
	Planner
	Time(ctx context.Context, r Request) (units.Time, error)
}

// Comparer is a planner whose plans say what they are compared with. Compare adds that to a
// plan that it made for a bare request.
type Comparer interface {
	Planner
	Compare(ctx context.Context, r Request, p *plan.Plan) error
}

// Covering is a planner that is never slower than some others, since its plans include
// theirs; it has a plan wherever they have.
type Covering interface {
	Planner
	Covers() []string
}

// Conditional is a planner for some fabrics only.
type Conditional interface {
	Planner
	// Applies reports why it makes no plan on a fabric, or nil.
	Applies(f *fabric.Fabric) error
}

// Composer is a planner that makes the steps of an operation itself, together with the
// circuits, instead of taking those of an algorithm. The Collective of its requests has an
// operation, a space and nodes but no steps.
type Composer interface {
	Planner
	Composes() string // the name of the algorithm that its plans have
	// Supports reports why it cannot plan an operation on a fabric, or nil.
	Supports(c *collective.Collective, f *fabric.Fabric) error
}

// Several is a planner that can make several plans for a request, up to a given number, the
// fastest first. Errors are those of Plan.
type Several interface {
	Planner
	Plans(ctx context.Context, r Request, most int) ([]*plan.Plan, error)
}

// Chooser is a planner that can say what its choices save. The request is the plan's; errors are
// those of Plan.
type Chooser interface {
	Planner
	Choices(ctx context.Context, r Request) ([]Choice, error)
}

// Choice is something that the planner's plan for a request has.
type Choice struct {
	What string
	// Fewer: What is how often circuits change, and Without has fewer changes.
	Fewer bool
	// Without is the planner's fastest plan without this choice; nil if there is none.
	Without *plan.Plan
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
