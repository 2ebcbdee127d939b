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

// Search is how plans are looked for: by which planners, with what is remembered from one plan
// to the next, and who is told about it. A copy shares what is remembered.
type Search struct {
	Planners planner.Registry
	// Plain are the planners that baselines are made with; nil: those of Planners(Options{}).
	Plain planner.Registry
	Known *algorithms.Registry // algorithms
	// Improves says that the planner with that trait looks for topologies beyond its pool, also
	// for the steps that other planners compose.
	Improves bool
	Bare     bool // what plans are compared with is not found
	AllPorts bool // no plan leaves ports unused

	Progress func(done, total int)
	Status   func(text string)
	Better   func(p *plan.Plan) // called with every plan that is the fastest so far
	Made     func(p *plan.Plan) // called with every plan that is compared for one operation

	laid     *Layouts        // nil: nothing is remembered
	programs *flow.Memory    // linear programs, likewise
	kept     *planner.Memory // what else planners found, likewise
	limit    units.Time      // of a plan, beyond which it is of no use; 0: none
	still    bool            // plans are wanted that do not change circuits (Request.Staying)
	strict   bool            // above MostWhole GPUs nothing is planned that takes the square of their number
}

// NewSearch returns a search by some planners that has nothing to remember yet.
func NewSearch(planners planner.Registry) Search {
	return Search{Planners: planners, laid: &Layouts{}, programs: flow.NewMemory(), kept: planner.NewMemory()}
}

// Sharing returns the search with what another one remembers, for plans that are of no use
// beyond a limit; 0: none.
func (s Search) Sharing(other *Search, limit units.Time) Search {
	s.laid, s.programs, s.kept, s.limit = other.laid, other.programs, other.kept, limit
	return s
}

// Lasting returns a search for many requests: it remembers the steps of every algorithm, and no
// linear programs, so that an answer does not depend, to the last bit, on those before it.
func (s Search) Lasting() Search {
	s.laid, s.programs = &Layouts{plain: map[layoutKey]*layout{}}, nil
	return s
}

// Quiet returns a search for plans whose progress nobody is told and that are compared with
// nothing.
func (s Search) Quiet() Search {
	s = s.Silent()
	s.Bare = true
	return s
}

// Silent returns a search whose progress nobody is told.
func (s Search) Silent() Search {
	s.Progress, s.Status = nil, nil
	return s
}

// Unseen returns a search whose plans nobody is shown before the end: their times are those of
// another fabric.
func (s Search) Unseen() Search {
	s.Better, s.Made = nil, nil
	return s
}

// Report calls Progress if there is one.
func (s *Search) Report(done, total int) {
	if s.Progress != nil {
		s.Progress(done, total)
	}
}

// Ask returns a request to planners on a fabric.
func (s *Search) Ask(f fabric.Fabric) planner.Request {
	return planner.Request{Fabric: f, Bare: s.Bare, Programs: s.programs, Kept: s.kept, Progress: s.Progress, Status: s.Status, Better: s.Better, Made: s.Made}
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
