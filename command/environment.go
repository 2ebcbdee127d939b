package command

import (
	"context"
	"io"
	"sync/atomic"

	"github.com/lightpath-net/lightpath/compile"
	"github.com/lightpath-net/lightpath/emulate"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/direct/finder"
	"github.com/lightpath-net/lightpath/planner/portfolio"
	"github.com/lightpath-net/lightpath/sweep"
	"github.com/lightpath-net/lightpath/units"
)

// Environment combines the options of a call. A command reads the fields that it uses.
type Environment struct {
	// Search looks for plans, with these options.
	Search *portfolio.Search

	Progress func(done, total int) // nil: nobody asks; see Report
	Status   func(text string)     // nil: nobody asks
	Warn     func(text string)     // nil: nobody asks
	Known    plan.Known            // the caller's own algorithms and topology families
	Bare     bool                  // without baselines
	// Shares, if not nil, makes the search use the memory of another.
	Shares func(*portfolio.Search) *portfolio.Search

	// Where simulations write, nil for nothing, and the length of the intervals of Series.
	Trace, Links, Series io.Writer
	Interval             units.Duration

	Store    *finder.Store    // of topologies; nil: none
	Sweeps   *sweep.Store     // of cells; nil: none
	Files    compile.Open     // nil: a request must contain its files
	Launcher emulate.Launcher // nil: ranks are goroutines of this process
	// StepEnded and RankEnded, if not nil, are called with the progress of an emulation.
	StepEnded func(s emulate.Step)
	RankEnded func(rank, step int)

	better func(p *plan.Plan)
	// unfinished is called with the partial answer when the context ends; best is the fastest
	// plan so far.
	unfinished func(answer any, how string)
	best       atomic.Pointer[plan.Plan]
	plans      PlanStore
	verified   bool // plans of requests are known to be correct
	registry   planner.Registry
}

// NewEnvironment combines options.
func NewEnvironment(options []Option) *Environment {
	e := &Environment{registry: Planners()}
	for _, o := range options {
		o(e)
	}
	better := e.better
	if e.unfinished != nil {
		better = func(p *plan.Plan) {
			e.best.Store(p)
			if e.better != nil {
				e.better(p)
			}
		}
	}
	e.Search = portfolio.NewSearch(portfolio.Options{
		Planners: e.registry, Plain: e.registry, Known: e.Known.Algorithms, Bare: e.Bare, Progress: e.Progress, Status: e.Status, Better: better,
	})
	if e.Shares != nil {
		e.Search = e.Shares(e.Search)
	}
	return e
}

// PlanStore looks up plans by their ID.
type PlanStore interface {
	Plan(ctx context.Context, id string) (*plan.Plan, error)
}

// Fabric returns a fabric whose settings may use the names in Known.
func (e *Environment) Fabric(f fabric.Fabric) fabric.Fabric {
	if e.Known.IsZero() || f.IsZero() {
		return f
	}
	return f.With(e.Known.Fabric())
}

// Know returns a plan that resolves its names with Known.
func (e *Environment) Know(p *plan.Plan) *plan.Plan {
	if e.Known.IsZero() {
		return p
	}
	return p.With(e.Known)
}

// Planners returns the known planners, with the options that apply to them.
func (e *Environment) Planners(given ...planner.Options) planner.Registry {
	return e.registry.With(given...)
}

// Report reports progress, if the caller asked for it.
func (e *Environment) Report(done, total int) {
	if e.Progress != nil {
		e.Progress(done, total)
	}
}

// Planners returns every planner, "auto" last. User-defined ones are among those that auto tries.
func Planners(own ...planner.Planner) planner.Registry { return portfolio.Planners(own...) }
