package command

import (
	"io"

	"github.com/lightpath-net/lightpath/compile"
	"github.com/lightpath-net/lightpath/emulate"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/direct/finder"
	"github.com/lightpath-net/lightpath/sweep"
	"github.com/lightpath-net/lightpath/units"
)

// Options are what a caller adds to a request. A command reads those that it uses.
type Options struct {
	Registry planner.Registry // the available planners
	Known    plan.Known       // the caller's own algorithms and topology families
	Bare     bool             // without baselines
	Plans    PlanStore        // of plans that requests name by ID; nil: none
	Verified bool             // plans of requests are known to be correct

	Progress func(done, total int) // nil: nobody asks; see Run.Report
	Status   func(text string)     // nil: nobody asks
	Warn     func(text string)     // nil: nobody asks
	Better   func(p *plan.Plan)    // called with every plan that is the fastest so far
	Partial  func(any, string)     // called with the partial answer when the context ends

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
}

// Option adds to a request something that cannot be written down as a value: who receives
// progress, where a trace goes, where to find plans by ID. A function ignores options that it
// does not use.
type Option func(*Options)

// WithProgress sets a function that is called now and then with the work done and the total. It
// is called from one goroutine at a time and should return at once.
func WithProgress(progress func(done, total int)) Option {
	return func(o *Options) { o.Progress = progress }
}

// WithStatus sets a function that is called with a line about what has been found so far.
func WithStatus(status func(text string)) Option {
	return func(o *Options) { o.Status = status }
}

// WithWarning sets a function that is called with a line that a person should read before a long
// computation starts.
func WithWarning(warn func(text string)) Option { return func(o *Options) { o.Warn = warn } }

// WithBetter makes Plan call a function with every plan that is the fastest so far, before that
// plan is verified and compared with others. The function must not change the plan.
func WithBetter(better func(p *plan.Plan)) Option {
	return func(o *Options) { o.Better = better }
}

// WithUnfinished makes Plan, Compare, Advise and Find report a partial answer if their context
// ends first. They call the function with an answer of the usual type, whose plans are verified,
// and a line on their progress; or with nil and "" if nothing is known. They still return the
// error.
func WithUnfinished(tell func(answer any, how string)) Option {
	return func(o *Options) { o.Partial = tell }
}

// WithTrace makes Simulate write a Chrome trace.
func WithTrace(w io.Writer) Option { return func(o *Options) { o.Trace = w } }

// WithLinks makes Simulate write what every link did, as CSV.
func WithLinks(w io.Writer) Option { return func(o *Options) { o.Links = w } }

// WithSeries makes Simulate write, as CSV, how busy links are and how many bytes wait for them
// in every interval of time. A trace then has this series too; w may be nil.
func WithSeries(w io.Writer, interval units.Duration) Option {
	return func(o *Options) { o.Series, o.Interval = w, interval }
}

// WithPlans sets the store of the plans that requests name by ID.
func WithPlans(store PlanStore) Option { return func(o *Options) { o.Plans = store } }

// WithStore sets the store in which Find looks up and keeps topologies.
func WithStore(store *finder.Store) Option { return func(o *Options) { o.Store = store } }

// WithRegistry sets the available planners. They keep their options, except for those that a
// request sets.
func WithRegistry(r planner.Registry) Option {
	return func(o *Options) { o.Registry = r }
}

// WithKnown adds user-defined algorithms and topology families. They are tried beside the
// built-in ones, fabrics may name them, and the verifier knows them.
func WithKnown(k plan.Known) Option { return func(o *Options) { o.Known = k } }

// WithFiles sets the function with which Check opens the files that a request names.
func WithFiles(open compile.Open) Option { return func(o *Options) { o.Files = open } }

// WithVerifiedPlans declares the plans of requests correct, for instance because Plan has just
// made them, so that they are not verified again.
func WithVerifiedPlans() Option { return func(o *Options) { o.Verified = true } }

// WithoutBaselines makes Plan skip the plans that it would compare its own with. Compare skips
// the baselines that all rows share and those of each row's own algorithm.
func WithoutBaselines() Option { return func(o *Options) { o.Bare = true } }

// WithLauncher makes Emulate and Calibrate run ranks as processes. Without it, ranks are
// goroutines of this process.
func WithLauncher(l emulate.Launcher) Option { return func(o *Options) { o.Launcher = l } }

// WithSweepStore makes Sweep reuse the cells in a store and keep new ones there. Without it,
// Sweep keeps everything in memory.
func WithSweepStore(store *sweep.Store) Option { return func(o *Options) { o.Sweeps = store } }
