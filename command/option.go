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

// Option adds to a request something that cannot be written down as a value: who receives
// progress, where a trace goes, where to find plans by ID. A function ignores options that it
// does not use.
type Option func(*Environment)

// WithProgress sets a function that is called now and then with the work done and the total. It
// is called from one goroutine at a time and should return at once.
func WithProgress(progress func(done, total int)) Option {
	return func(e *Environment) { e.Progress = progress }
}

// WithStatus sets a function that is called with a line about what has been found so far.
func WithStatus(status func(text string)) Option {
	return func(e *Environment) { e.Status = status }
}

// WithWarning sets a function that is called with a line that a person should read before a long
// computation starts.
func WithWarning(warn func(text string)) Option { return func(e *Environment) { e.Warn = warn } }

// WithBetter makes Plan call a function with every plan that is the fastest so far, before that
// plan is verified and compared with others. The function must not change the plan.
func WithBetter(better func(p *plan.Plan)) Option {
	return func(e *Environment) { e.better = better }
}

// WithUnfinished makes Plan, Compare, Advise and Find report a partial answer if their context
// ends first. They call the function with an answer of the usual type, whose plans are verified,
// and a line on their progress; or with nil and "" if nothing is known. They still return the
// error.
func WithUnfinished(tell func(answer any, how string)) Option {
	return func(e *Environment) { e.unfinished = tell }
}

// WithTrace makes Simulate write a Chrome trace.
func WithTrace(w io.Writer) Option { return func(e *Environment) { e.Trace = w } }

// WithLinks makes Simulate write what every link did, as CSV.
func WithLinks(w io.Writer) Option { return func(e *Environment) { e.Links = w } }

// WithSeries makes Simulate write, as CSV, how busy links are and how many bytes wait for them
// in every interval of time. A trace then has this series too; w may be nil.
func WithSeries(w io.Writer, interval units.Duration) Option {
	return func(e *Environment) { e.Series, e.Interval = w, interval }
}

// WithPlans sets the store of the plans that requests name by ID.
func WithPlans(store PlanStore) Option { return func(e *Environment) { e.plans = store } }

// WithStore sets the store in which Find looks up and keeps topologies.
func WithStore(store *finder.Store) Option { return func(e *Environment) { e.Store = store } }

// WithRegistry sets the available planners. They keep their options, except for those that a
// request sets.
func WithRegistry(r planner.Registry) Option {
	return func(e *Environment) { e.registry = r }
}

// WithKnown adds user-defined algorithms and topology families. They are tried beside the
// built-in ones, fabrics may name them, and the verifier knows them.
func WithKnown(k plan.Known) Option { return func(e *Environment) { e.Known = k } }

// WithFiles sets the function with which Check opens the files that a request names.
func WithFiles(open compile.Open) Option { return func(e *Environment) { e.Files = open } }

// WithVerifiedPlans declares the plans of requests correct, for instance because Plan has just
// made them, so that they are not verified again.
func WithVerifiedPlans() Option { return func(e *Environment) { e.verified = true } }

// WithoutBaselines makes Plan skip the plans that it would compare its own with. Compare skips
// the baselines that all rows share and those of each row's own algorithm.
func WithoutBaselines() Option { return func(e *Environment) { e.Bare = true } }

// WithLauncher makes Emulate and Calibrate run ranks as processes. Without it, ranks are
// goroutines of this process.
func WithLauncher(l emulate.Launcher) Option { return func(e *Environment) { e.Launcher = l } }

// WithSweepStore makes Sweep reuse the cells in a store and keep new ones there. Without it,
// Sweep keeps everything in memory.
func WithSweepStore(store *sweep.Store) Option { return func(e *Environment) { e.Sweeps = store } }
