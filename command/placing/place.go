package placing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/portfolio"
	"github.com/lightpath-net/lightpath/planner/sliced"
	"github.com/lightpath-net/lightpath/units"
)

const (
	// mostSlices is the number of slices up to which Place examines all.
	mostSlices = 1 << 11
	// mostPlanned bounds the number of plans if not all slices are examined, and mostSwaps the
	// number of plans for exchanges of one GPU of the best slice.
	mostPlanned, mostSwaps = 48, 16
	// mostLinked bounds the number of plans if fixed links join GPUs: slices then have no
	// symmetry and take long to plan.
	mostLinked = 6
	// mostChoices is how many slices the answer lists.
	mostChoices = 16
)

// Place finds the slice, a set of GPUs, on which an operation takes the least time, among GPUs
// that have not failed and are not held. They need not be neighbours. If there are few slices,
// it tries all of them; otherwise it tries candidates and then exchanges of one GPU. It compares
// slices by plans for fabrics of their own, in which no other GPU forwards data. Then it plans
// the best slice, and a number of others, exactly as a request for those GPUs would be.
func Place(ctx context.Context, r PlaceRequest, options ...command.Option) (*Placement, error) {
	e := command.NewRun(options)
	if err := r.Complete(); err != nil {
		return nil, err
	}
	by, err := e.Search.Planners().Lookup(r.Planner)
	if err != nil {
		return nil, field.In("planner", err)
	}
	s := &search{
		request: &r, by: by, report: e.Report, search: e.Search.Quiet().Unseen(),
		known: map[fabric.Key]outcome{}, seen: map[string]bool{}, planned: map[string]bool{},
	}
	free := r.Fabric.Present() // neither failed nor held
	most := max(1, mostAsked/r.Fabric.Nodes)
	if count := choose(len(free), r.NodesNeeded, mostSlices); count <= mostSlices {
		s.among = fmt.Sprintf("all %d slices", count)
		err = s.all(ctx, free)
	} else {
		if most = min(most, mostAskedOfSome); !r.Fabric.Fixed.IsZero() {
			most = 1
		}
		s.among = "slices of few islands, of islands in equal parts, of blocks of fixed links, of lines of the layout, of neighbours and of GPUs with the most ports, and exchanges of one GPU of the best; not all slices"
		err = s.some(ctx, free)
	}
	if err == nil {
		var every bool
		if every, err = s.ask(ctx, most); !every {
			s.among += fmt.Sprintf("; as parts of the whole fabric, %d of them", s.asked)
		}
	}
	a := s.answer(len(free))
	if err != nil {
		return nil, e.Unfinished(ctx, err, func() (any, string) {
			if a == nil {
				return nil, ""
			}
			return a, fmt.Sprintf("%d slices were looked at", s.looked)
		})
	}
	if a == nil {
		return nil, fmt.Errorf("%w: no slice of %d GPUs that was looked at has a plan (%v)", planner.ErrInfeasible, r.NodesNeeded, s.reason)
	}
	return a, nil
}

// choose returns the number of ways to choose k of n, or a number above most.
func choose(n, k, most int) int {
	count := 1
	for i := range min(k, n-k) {
		if count = count * (n - i) / (i + 1); count > most {
			return most + 1
		}
	}
	return count
}

// search is the state of the search for the best slice.
type search struct {
	request *PlaceRequest
	by      planner.Planner
	search  *portfolio.Search
	report  func(done, total int)
	among   string

	known map[fabric.Key]outcome // by the fabric of a slice: equivalent slices share it
	seen  map[string]bool        // slices that were examined

	planned map[string]bool // slices that were planned
	best    *plan.Plan
	chosen  []int
	list    []PlacedSlice
	slices  []*slice
	looked  int
	plans   int // for fabrics of their own
	asked   int // slices planned on the whole fabric
	reason  error
}

// outcome is the plan of a slice, or why there is none.
type outcome struct {
	plan *plan.Plan
	part *sliced.Part
}

// all examines every slice, those with the least bound first.
func (s *search) all(ctx context.Context, free []int) error {
	var every [][]int
	var pick func(from int, taken []int)
	pick = func(from int, taken []int) {
		if len(taken) == s.request.NodesNeeded {
			every = append(every, slices.Clone(taken))
			return
		}
		for i := from; i <= len(free)-(s.request.NodesNeeded-len(taken)); i++ {
			pick(i+1, append(taken, free[i]))
		}
	}
	pick(0, nil)
	for i, gpus := range every {
		s.report(i, len(every))
		if err := s.look(ctx, gpus, "every slice was tried"); err != nil {
			return err
		}
	}
	return nil
}

// look plans a slice, unless it is equivalent to a planned one or no plan for it can be the
// best.
func (s *search) look(ctx context.Context, gpus []int, why string) error {
	name := collective.FormatMembers(gpus)
	if s.seen[name] {
		return nil
	}
	s.seen[name] = true
	s.looked++
	f := &s.request.Fabric
	this := &slice{gpus: gpus, why: why}
	s.slices = append(s.slices, this)
	part, err := sliced.New(f, gpus)
	if err != nil {
		s.reason = err
		return nil
	}
	this.shape = shapeOf(f, part)
	key := this.shape.alone
	if _, known := s.known[key]; known {
		return nil
	}
	alone := s.request.Operation
	section := &collective.Section{Op: alone.Op, Size: alone.Size, Space: collective.SpaceOf(alone.Op, len(gpus), 1)}
	if s.best != nil && bound.OfOperation(&part.Fabric, section).Total() >= s.best.Cost.Total() {
		return nil
	}
	s.plans++
	s.planned[name] = true
	asked := &portfolio.Request{Operations: []collective.Operation{alone}, Fabric: *f}
	useful := s.search
	if s.best != nil && !f.Fixed.IsZero() { // with fixed links, others take long to plan
		useful = useful.Sharing(useful, s.best.Cost.Total())
	}
	made, err := asked.OnlyPart(ctx, part, s.by, useful)
	s.known[key] = outcome{made, part}
	if err != nil {
		s.reason = err
		if ctx.Err() != nil || !errors.Is(err, planner.ErrInfeasible) {
			return err
		}
		return nil
	}
	s.list = append(s.list, PlacedSlice{GPUs: name, Islands: islandsOf(f, gpus), TotalNs: made.Cost.Total(), Why: why})
	if s.best == nil || made.Cost.Total() < s.best.Cost.Total() {
		s.best, s.chosen = made, gpus
	}
	return nil
}

// islandsOf counts the islands of a slice.
func islandsOf(f *fabric.Fabric, gpus []int) int {
	if f.Island.IsZero() {
		return 0
	}
	seen := map[int]bool{}
	for _, u := range gpus {
		seen[u/f.Island.Size] = true
	}
	return len(seen)
}

// answer assembles the results; nil if no slice was planned.
func (s *search) answer(free int) *Placement {
	if s.best == nil {
		return nil
	}
	slices.SortStableFunc(s.list, func(a, b PlacedSlice) int { return cmp.Compare(a.TotalNs, b.TotalNs) })
	return &Placement{
		Schema: PlaceSchema, Fabric: s.request.Fabric, Op: s.request.Operation.Op, SizeBytes: int64(s.request.Operation.Size),
		GPUs: s.chosen, TotalNs: s.best.Cost.Total(), BoundNs: min(s.lower(), s.best.Cost.Total()),
		Algorithm: s.best.Collective.Algorithm, Planner: s.best.Planner,
		Among: s.among, Free: free, Slices: s.looked, Planned: len(s.planned), Choices: s.list[:min(len(s.list), mostChoices)],
	}
}

// lower returns a lower bound for all plans for the best slice.
func (s *search) lower() units.Time { return s.best.OperationBound().Total() }
