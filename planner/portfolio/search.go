package portfolio

import (
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// Request is the work to plan: operations one after the other, or a pattern.
type Request struct {
	Operations []collective.Operation
	Pattern    *collective.PatternFile // instead of Operations
	Fabric     fabric.Fabric
}

// Options say how to search for plans. They are a plain value that callers fill in.
type Options struct {
	Planners planner.Registry
	// Plain are the planners for baselines; nil: Planners.
	Plain planner.Registry
	Known *algorithms.Registry // algorithms

	Bare     bool // baselines are not computed
	AllPorts bool // no plan leaves ports unused

	Progress func(done, total int)
	Status   func(text string)
	Better   func(p *plan.Plan) // called with every plan that is the fastest so far
	Made     func(p *plan.Plan) // called with every plan compared for one operation
}

// Search looks for plans as its options say. It remembers what one plan has in common with the
// next. A Search is immutable: methods that change its options or scope return another Search
// that shares the memory. NewSearch makes one.
type Search struct {
	options Options
	memory  memory
	scope   scope
}

// memory is what a search remembers from one plan to the next.
type memory struct {
	laid     *StepMemory
	programs *flow.Memory    // linear programs; nil: not remembered
	kept     *planner.Memory // other results of planners
}

// scope says which plans are useful.
type scope struct {
	limit units.Time // on the time of a plan; 0: none
	still bool       // only plans that do not change circuits (Request.Staying)
	// strict: above MostWhole GPUs, omit everything whose work is quadratic in the number of
	// GPUs.
	strict      bool
	improved    bool // improve composed steps even if the planners' options do not ask for it
	whole       bool // only plans whose transfers carry whole values (planner.Request.Whole)
	parts       int  // most chunks of a GPU's data (planner.Request.Parts); 0: any
	alike       bool // only plans in which all GPUs do the same (planner.Request.Alike)
	composed    bool // the best of all planners omits the steps of algorithms
	noPipelines bool // the best of all planners omits algorithms whose number of pieces is open
	all         bool // on islands, also lift plans that cannot win, for comparison
	// repaired: plans around failures by repair have been tried. known is the fastest of them for
	// this request; nil: none.
	repaired bool
	known    *plan.Plan
}

// NewSearch returns a search with an empty memory.
func NewSearch(o Options) *Search {
	return &Search{options: o, memory: memory{laid: &StepMemory{}, programs: flow.NewMemory(), kept: planner.NewMemory()}}
}

// With returns a search with other options.
func (s *Search) With(change func(o *Options)) *Search {
	o := s.options
	change(&o)
	return &Search{o, s.memory, s.scope}
}

// Sharing returns the search with the memory of another one, for plans within a limit; 0: none.
func (s *Search) Sharing(other *Search, limit units.Time) *Search {
	return (&Search{s.options, other.memory, s.scope}).within(limit)
}

// Lasting returns a search for many requests. It remembers the steps of every algorithm but no
// linear programs, so that an answer does not depend on earlier ones, not even in its last bit.
func (s *Search) Lasting() *Search {
	m := memory{laid: &StepMemory{plain: map[stepsKey]*laidSteps{}}, kept: s.memory.kept}
	return &Search{s.options, m, s.scope}
}

// Apart returns a search with its own memory of linear programs, so that several can run in
// parallel: the answers of each depend, in their last bits, only on earlier answers of the same
// search.
func (s *Search) Apart() *Search {
	m := s.memory
	m.programs = flow.NewMemory()
	return &Search{s.options, m, s.scope}
}

// Quiet returns a search that neither reports progress nor computes baselines.
func (s *Search) Quiet() *Search {
	return s.With(func(o *Options) { o.Progress, o.Status, o.Bare = nil, nil, true })
}

// Silent returns a search that does not report progress.
func (s *Search) Silent() *Search {
	return s.With(func(o *Options) { o.Progress, o.Status = nil, nil })
}

// Unseen returns a search that shows no plans before its end, because their times are those of
// another fabric.
func (s *Search) Unseen() *Search { return s.With(func(o *Options) { o.Better, o.Made = nil, nil }) }

// WithAllPorts returns a search for plans that leave no ports unused.
func (s *Search) WithAllPorts() *Search { return s.With(func(o *Options) { o.AllPorts = true }) }

// within returns a search for plans within a limit; 0: none.
func (s *Search) within(limit units.Time) *Search {
	scope := s.scope
	scope.limit = limit
	return &Search{s.options, s.memory, scope}
}

// knowing returns a search for plans that are faster than a repaired one; nil: there is no
// repaired plan.
func (s *Search) knowing(repaired *plan.Plan) *Search {
	scope := s.scope
	scope.repaired, scope.known = true, repaired
	return &Search{s.options, s.memory, scope}
}

// unknowing returns a search for a request other than that of the known plan. The time of the
// known plan becomes its limit.
func (s *Search) unknowing() *Search {
	if s.scope.known == nil {
		return s
	}
	scope := s.scope
	if time := s.scope.known.Cost.Total(); scope.limit == 0 || time < scope.limit {
		scope.limit = time
	}
	scope.known = nil
	return &Search{s.options, s.memory, scope}
}

// wholly returns a search for plans whose transfers carry whole values.
func (s *Search) wholly() *Search {
	scope := s.scope
	scope.whole = true
	return &Search{s.options, s.memory, scope}
}

// cutInto returns a search for plans that cut a GPU's data into at most parts chunks.
func (s *Search) cutInto(parts int) *Search {
	scope := s.scope
	scope.parts = parts
	return &Search{s.options, s.memory, scope}
}

// alike returns a search for plans in which all GPUs do the same.
func (s *Search) alike() *Search {
	scope := s.scope
	scope.alike = true
	return &Search{s.options, s.memory, scope}
}

// strictly returns a search that, above MostWhole GPUs, omits everything whose work is quadratic
// in the number of GPUs.
func (s *Search) strictly() *Search {
	scope := s.scope
	scope.strict = true
	return &Search{s.options, s.memory, scope}
}

// staying returns a search for plans that do not change circuits, with the planners for
// baselines. It improves composed steps if s does.
func (s *Search) staying() *Search {
	plain := s.With(func(o *Options) {
		if o.Plain != nil {
			o.Planners = o.Plain
		}
	})
	plain.scope.still, plain.scope.improved = true, s.improves()
	return plain
}

// Planners returns the planners of the search.
func (s *Search) Planners() planner.Registry { return s.options.Planners }

// improves reports whether a planner searches for circuits for the steps that others compose.
func (s *Search) improves() bool {
	p := s.options.Planners.Improver()
	return s.scope.improved || p != nil && planner.TraitsOf(p).Improves.Asked
}

// Report calls Progress if there is one.
func (s *Search) Report(done, total int) {
	if s.options.Progress != nil {
		s.options.Progress(done, total)
	}
}

// Ask returns a planner request for a fabric, without a collective.
func (s *Search) Ask(f fabric.Fabric) planner.Request {
	o := &s.options
	return planner.Request{Fabric: f, Bare: o.Bare, Whole: s.scope.whole, Parts: s.scope.parts, Alike: s.scope.alike, Programs: s.memory.programs, Kept: s.memory.kept, Progress: o.Progress, Status: o.Status, Better: o.Better, Made: o.Made}
}

// ways lists the ways to carry out operation i.
func (r *Request) ways(i int, p planner.Planner, s *Search) ([]Way, error) {
	t, err := NewTask(r.Operations[i], &r.Fabric, s)
	if err != nil {
		return nil, r.blame(i, err)
	}
	ways, err := t.Ways(p)
	return ways, r.blame(i, err)
}

// blame adds to the error of a field which operation it belongs to.
func (r *Request) blame(i int, err error) error {
	if named, ok := err.(*field.Error); !ok || named.Path == "planner" {
		return err
	}
	return field.In(field.Index("operations", i), err)
}

// maxSequences is the largest number of combinations of algorithms tried for a sequence of
// operations.
const maxSequences = 32
