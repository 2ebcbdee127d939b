package lightpath

import (
	"context"
	"io"

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

// Option is an addition to a request that cannot be written down as a value: who receives
// progress, where a trace goes, where to find plans by ID. A function ignores options that it
// does not use.
type Option func(*environment)

// environment is the options put together.
type environment struct {
	progress func(done, total int)
	status   func(text string)
	better   func(p *plan.Plan)
	watch    *emulationWatch
	trace    io.Writer
	links    io.Writer
	series   io.Writer
	interval units.Duration // of the series
	plans    PlanStore
	store    *finder.Store
	sweeps   *sweep.Store
	registry planner.Registry
	given    bool // the registry, with its options
	known    plan.Known
	verified bool
	bare     bool
	files    compile.Open
	launcher emulate.Launcher
	shares   func(portfolio.Search) portfolio.Search // if not nil: with what others remember
	// search is how plans are looked for, from these options on.
	search portfolio.Search
}

func newEnvironment(options []Option) *environment {
	e := &environment{registry: Planners()}
	for _, o := range options {
		o(e)
	}
	e.search = portfolio.NewSearch(e.registry)
	e.search.Known, e.search.Bare = e.known.Algorithms, e.bare
	e.search.Progress, e.search.Status, e.search.Better = e.progress, e.status, e.better
	if e.given {
		e.search.Plain = e.registry
	}
	if e.shares != nil {
		e.search = e.shares(e.search)
	}
	return e
}

// WithProgress sets a function that is called now and then with the work done and the total. It
// is called from one goroutine at a time and should return at once.
func WithProgress(progress func(done, total int)) Option {
	return func(e *environment) { e.progress = progress }
}

// WithStatus has a function called with a line on what was found so far.
func WithStatus(status func(text string)) Option {
	return func(e *environment) { e.status = status }
}

// WithBetter has Plan call a function with every plan that is the fastest so far, before it
// is verified and compared with others. It must not change the plan.
func WithBetter(better func(p *plan.Plan)) Option {
	return func(e *environment) { e.better = better }
}

// emulationWatch is who is told how far an emulation is.
type emulationWatch struct {
	step func(s EmulatedStep)
	rank func(rank, step int)
}

// WithEmulatedSteps has Emulate call step with every step that has ended, and rank with
// every rank that has ended a step, which count from 1. Both are called from one goroutine
// and should return at once.
func WithEmulatedSteps(step func(s EmulatedStep), rank func(rank, step int)) Option {
	return func(e *environment) { e.watch = &emulationWatch{step, rank} }
}

// WithTrace has Simulate write a Chrome trace.
func WithTrace(w io.Writer) Option { return func(e *environment) { e.trace = w } }

// WithLinks has Simulate write what every link did, as CSV.
func WithLinks(w io.Writer) Option { return func(e *environment) { e.links = w } }

// WithSeries has Simulate write how busy links are and how much waits for them, for every
// interval of time, as CSV; w may be nil. A trace then has it, too.
func WithSeries(w io.Writer, interval units.Duration) Option {
	return func(e *environment) { e.series, e.interval = w, interval }
}

// PlanStore knows plans by their ID.
type PlanStore interface {
	Plan(ctx context.Context, id string) (*plan.Plan, error)
}

// WithPlans says where the plans are that requests name by their ID.
func WithPlans(store PlanStore) Option { return func(e *environment) { e.plans = store } }

// WithStore has Find keep and look up what was found.
func WithStore(store *finder.Store) Option { return func(e *environment) { e.store = store } }

// WithRegistry says which planners there are, with their options; those of a request are
// for the default, Planners().
func WithRegistry(r planner.Registry) Option {
	return func(e *environment) { e.registry, e.given = r, true }
}

// WithKnown adds user-defined algorithms and topology families: they are tried beside the
// built-in ones, fabrics may name them, and plans are verified with them.
func WithKnown(k plan.Known) Option { return func(e *environment) { e.known = k } }

// fabric returns a fabric that may name the families that are known.
func (e *environment) fabric(f fabric.Fabric) fabric.Fabric {
	if e.known.Families == nil || f.IsZero() {
		return f
	}
	return f.With(e.known.Families)
}

// know returns a plan whose names are those that are known.
func (e *environment) know(p *plan.Plan) *plan.Plan {
	if e.known == (plan.Known{}) {
		return p
	}
	return p.With(e.known)
}

// WithFiles says how Check opens the files that a request names.
func WithFiles(open compile.Open) Option { return func(e *environment) { e.files = open } }

// WithVerifiedPlans says that the plans of requests are known to be correct, such as those
// that Plan has just made, so that they are not verified again.
func WithVerifiedPlans() Option { return func(e *environment) { e.verified = true } }

// WithoutBaselines has Plan leave out the plans that it would compare its own with.
func WithoutBaselines() Option { return func(e *environment) { e.bare = true } }

// planners returns the planners that there are, with options of theirs.
func (e *environment) planners(o portfolio.Options) planner.Registry {
	if e.given {
		return e.registry
	}
	return portfolio.Planners(o)
}

// WithLauncher has Emulate and Calibrate start processes. Without it, ranks are goroutines
// of this process.
func WithLauncher(l emulate.Launcher) Option { return func(e *environment) { e.launcher = l } }

func (e *environment) report(done, total int) {
	if e.progress != nil {
		e.progress(done, total)
	}
}
