package command

import (
	"context"
	"sync/atomic"

	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/portfolio"
)

// Run is one call of a command: its options, and the search that its work shares. A Run does not
// change; methods that change the search return another Run.
type Run struct {
	Options
	// Search looks for plans, with these options.
	Search *portfolio.Search
	best   *atomic.Pointer[plan.Plan] // the fastest so far; shared by runs made from one another
}

// NewRun combines options.
func NewRun(options []Option) *Run {
	o := Options{Registry: Planners()}
	for _, set := range options {
		set(&o)
	}
	e := &Run{Options: o, best: &atomic.Pointer[plan.Plan]{}}
	better := o.Better
	if o.Partial != nil {
		better = func(p *plan.Plan) {
			e.Found(p)
			if o.Better != nil {
				o.Better(p)
			}
		}
	}
	e.Search = portfolio.NewSearch(portfolio.Options{
		Planners: o.Registry, Plain: o.Registry, Known: o.Known.Algorithms, Bare: o.Bare, Progress: o.Progress, Status: o.Status, Better: better,
	})
	return e
}

// Searching returns a run that searches otherwise.
func (e *Run) Searching(s *portfolio.Search) *Run { return &Run{e.Options, s, e.best} }

// Knowing returns a run that knows other algorithms.
func (e *Run) Knowing(known *algorithms.Registry) *Run {
	other := e.Searching(e.Search.With(func(o *portfolio.Options) { o.Known = known }))
	other.Known.Algorithms = known
	return other
}

// Fabric returns a fabric whose settings may use the names in Known.
func (e *Run) Fabric(f fabric.Fabric) fabric.Fabric {
	if e.Known.IsZero() || f.IsZero() {
		return f
	}
	return f.With(e.Known.Fabric())
}

// Know returns a plan that resolves its names with Known.
func (e *Run) Know(p *plan.Plan) *plan.Plan {
	if e.Known.IsZero() {
		return p
	}
	return p.With(e.Known)
}

// Planners returns the known planners, with the options that apply to them.
func (e *Run) Planners(given ...planner.Options) planner.Registry {
	return e.Registry.With(given...)
}

// Report reports progress, if the caller asked for it.
func (e *Run) Report(done, total int) {
	if e.Progress != nil {
		e.Progress(done, total)
	}
}

// PlanStore looks up plans by their ID.
type PlanStore interface {
	Plan(ctx context.Context, id string) (*plan.Plan, error)
}

// Planners returns every planner, "auto" last. User-defined ones are among those that auto tries.
func Planners(own ...planner.Planner) planner.Registry { return portfolio.Planners(own...) }
