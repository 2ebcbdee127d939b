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

// Request is what is to be carried out: operations one after the other, or a pattern.
type Request struct {
	Operations []collective.Operation
	Pattern    *collective.PatternFile // instead of Operations
	Fabric     fabric.Fabric
}

// Options say how plans are looked for. They are a plain value: callers fill it in.
type Options struct {
	Planners planner.Registry
	// Plain are the planners that baselines are made with; nil: Planners.
	Plain planner.Registry
	Known *algorithms.Registry // algorithms

	Bare     bool // what plans are compared with is not found
	AllPorts bool // no plan leaves ports unused

	Progress func(done, total int)
	Status   func(text string)
	Better   func(p *plan.Plan) // called with every plan that is the fastest so far
	Made     func(p *plan.Plan) // called with every plan that is compared for one operation
}

// Search looks for plans as its options say. It remembers what one plan has in common with the
// next, and never changes: what asks for something else is another Search, which shares what is
// remembered. It is made by NewSearch.
type Search struct {
	options Options
	memory  memory
	scope   scope
}

// memory is what is remembered from one plan to the next.
type memory struct {
	laid     *StepMemory
	programs *flow.Memory    // linear programs; nil: they are not remembered
	kept     *planner.Memory // what else planners found
}

// scope is which plans are of use.
type scope struct {
	limit units.Time // that a plan must not exceed; 0: none
	still bool       // plans are wanted that do not change circuits (Request.Staying)
	// strict: above MostWhole GPUs nothing is planned that takes the square of their number.
	strict   bool
	improved bool // steps that planners compose are improved, whoever the planners are
	whole    bool // plans are wanted whose transfers carry whole values (planner.Request.Whole)
	parts    int  // into how many chunks plans may cut what a GPU has (planner.Request.Parts); 0: any
	alike    bool // plans are wanted in which all GPUs do the same (planner.Request.Alike)
	composed bool // of the best of all planners, steps of algorithms are left out
	all      bool // on islands, plans are also lifted that cannot win: for comparison
	// repaired: what has failed has been dealt with by repairs, and known is the plan that is the
	// fastest of these, for the very request; nil: none.
	repaired bool
	known    *plan.Plan
}

// NewSearch returns a search that has nothing to remember yet.
func NewSearch(o Options) *Search {
	return &Search{options: o, memory: memory{laid: &StepMemory{}, programs: flow.NewMemory(), kept: planner.NewMemory()}}
}

// With returns a search with other options.
func (s *Search) With(change func(o *Options)) *Search {
	o := s.options
	change(&o)
	return &Search{o, s.memory, s.scope}
}

// Sharing returns the search with what another one remembers, for plans that do
// not exceed a limit; 0: none.
func (s *Search) Sharing(other *Search, limit units.Time) *Search {
	return (&Search{s.options, other.memory, s.scope}).within(limit)
}

// Lasting returns a search for many requests: it remembers the steps of every algorithm, and no
// linear programs, so that an answer does not depend, to the last bit, on those before it.
func (s *Search) Lasting() *Search {
	m := memory{laid: &StepMemory{plain: map[stepsKey]*laidSteps{}}, kept: s.memory.kept}
	return &Search{s.options, m, s.scope}
}

// Apart returns a search that remembers linear programs of its own. Several may be used side
// by side: the answers of each depend, to the last bit, on those before it in the same one alone.
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

// within returns a search for plans that do not exceed a limit; 0: none.
func (s *Search) within(limit units.Time) *Search {
	scope := s.scope
	scope.limit = limit
	return &Search{s.options, s.memory, scope}
}

// knowing returns a search for plans that are faster than a repaired one; nil: there is none.
func (s *Search) knowing(repaired *plan.Plan) *Search {
	scope := s.scope
	scope.repaired, scope.known = true, repaired
	return &Search{s.options, s.memory, scope}
}

// unknowing returns a search for another request than the plan that is known is for: none may take
// longer than that one does.
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

// cutInto returns a search for plans that cut what a GPU has into few chunks.
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

// strictly returns a search that plans nothing above MostWhole GPUs that takes the square of their
// number.
func (s *Search) strictly() *Search {
	scope := s.scope
	scope.strict = true
	return &Search{s.options, s.memory, scope}
}

// staying returns a search by the planners of baselines for plans that do not change circuits. It
// improves on composed steps if this one does.
func (s *Search) staying() *Search {
	plain := s.With(func(o *Options) {
		if o.Plain != nil {
			o.Planners = o.Plain
		}
	})
	plain.scope.still, plain.scope.improved = true, s.improves()
	return plain
}

// Planners are those that plans are looked for with.
func (s *Search) Planners() planner.Registry { return s.options.Planners }

// improves reports whether a planner looks for circuits for the steps that others compose.
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

// Ask returns a request to planners on a fabric.
func (s *Search) Ask(f fabric.Fabric) planner.Request {
	o := &s.options
	return planner.Request{Fabric: f, Bare: o.Bare, Whole: s.scope.whole, Parts: s.scope.parts, Alike: s.scope.alike, Programs: s.memory.programs, Kept: s.memory.kept, Progress: o.Progress, Status: o.Status, Better: o.Better, Made: o.Made}
}

// ways lists the ways to carry an operation out.
func (r *Request) ways(i int, p planner.Planner, s *Search) ([]Way, error) {
	t, err := NewTask(r.Operations[i], &r.Fabric, s)
	if err != nil {
		return nil, r.blame(i, err)
	}
	ways, err := t.Ways(p)
	return ways, r.blame(i, err)
}

// blame says which operation a field is of.
func (r *Request) blame(i int, err error) error {
	if named, ok := err.(*field.Error); !ok || named.Path == "planner" {
		return err
	}
	return field.In(field.Index("operations", i), err)
}

// maxSequences is the number of combinations of algorithms that are tried for a sequence
// of operations.
const maxSequences = 32
