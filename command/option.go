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

// Option is an addition to a request that cannot be written down as a value: who receives
// progress, where a trace goes, where to find plans by ID. A function ignores options that it
// does not use.
type Option func(*Environment)

// WithProgress sets a function that is called now and then with the work done and the total. It
// is called from one goroutine at a time and should return at once.
func WithProgress(progress func(done, total int)) Option {
	return func(e *Environment) { e.Progress = progress }
}

// WithStatus has a function called with a line on what was found so far.
func WithStatus(status func(text string)) Option {
	return func(e *Environment) { e.Status = status }
}

// WithWarning has a function called with a line that a person should read before it takes long.
func WithWarning(warn func(text string)) Option { return func(e *Environment) { e.Warn = warn } }

// WithBetter has Plan call a function with every plan that is the fastest so far, before it
// is verified and compared with others. It must not change the plan.
func WithBetter(better func(p *plan.Plan)) Option {
	return func(e *Environment) { e.better = better }
}

// WithUnfinished has Plan, Compare, Advise and Find call a function with what they know when their
// context ends before they do, and with a line on how far they are: an answer of the usual type,
// whose plans are verified, or nil, and "" if nothing is known. They return the error all the same.
func WithUnfinished(tell func(answer any, how string)) Option {
	return func(e *Environment) { e.unfinished = tell }
}

// WithTrace has Simulate write a Chrome trace.
func WithTrace(w io.Writer) Option { return func(e *Environment) { e.Trace = w } }

// WithLinks has Simulate write what every link did, as CSV.
func WithLinks(w io.Writer) Option { return func(e *Environment) { e.Links = w } }

// WithSeries has Simulate write how busy links are and how much waits for them, for every
// interval of time, as CSV; w may be nil. A trace then has it, too.
func WithSeries(w io.Writer, interval units.Duration) Option {
	return func(e *Environment) { e.Series, e.Interval = w, interval }
}

// WithPlans says where the plans are that requests name by their ID.
func WithPlans(store PlanStore) Option { return func(e *Environment) { e.plans = store } }

// WithStore has Find keep and look up what was found.
func WithStore(store *finder.Store) Option { return func(e *Environment) { e.Store = store } }

// WithRegistry says which planners there are. They keep the options that they have, but for those
// that a request sets.
func WithRegistry(r planner.Registry) Option {
	return func(e *Environment) { e.registry = r }
}

// WithKnown adds user-defined algorithms and topology families: they are tried beside the
// built-in ones, fabrics may name them, and plans are verified with them.
func WithKnown(k plan.Known) Option { return func(e *Environment) { e.Known = k } }

// WithFiles says how Check opens the files that a request names.
func WithFiles(open compile.Open) Option { return func(e *Environment) { e.Files = open } }

// WithVerifiedPlans says that the plans of requests are known to be correct, such as those
// that Plan has just made, so that they are not verified again.
func WithVerifiedPlans() Option { return func(e *Environment) { e.verified = true } }

// WithoutBaselines has Plan leave out the plans that it would compare its own with, and Compare
// the baselines, which all rows share, and those of each row's own algorithm.
func WithoutBaselines() Option { return func(e *Environment) { e.Bare = true } }

// WithLauncher has Emulate and Calibrate start processes. Without it, ranks are goroutines
// of this process.
func WithLauncher(l emulate.Launcher) Option { return func(e *Environment) { e.Launcher = l } }

// WithSweepStore has Sweep take what a store knows and keep what it finds. Without it, it
// keeps everything in memory.
func WithSweepStore(store *sweep.Store) Option { return func(e *Environment) { e.Sweeps = store } }
