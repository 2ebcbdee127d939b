package synthesis

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// seeker is a run of Search.
type seeker struct {
	iv    *interval
	opt   Options
	bound units.Time
	ideal ideal
	rng   *rand.Rand
	// seen has a verdict on every topology tried, by fingerprint. Two topologies with the same
	// fingerprint would mislead a walk, but no reported cost would be wrong.
	seen  map[uint64]verdict
	kept  []*priced // the best topologies, best first
	best  *priced
	tried int // topologies tried
	left  int // topologies that may still be tried

	earlier []*topology.Graph // the best ones before best

	spare   *wiring // scratch space of change
	chosen  [3]int  // scratch space of choose
	onwards []int   // scratch space of shortcut
}

// verdict is the cost of a topology or, if beaten, a limit that it does not beat.
type verdict struct {
	cost   units.Time
	beaten bool
}

// elite is the number of topologies kept as starts for walks.
const elite = 16

func newSeeker(iv *interval, opt Options, known *bounds) *seeker {
	s := &seeker{
		iv: iv, opt: opt, bound: known.time, ideal: known.ideal(iv), left: opt.Effort,
		rng:  rand.New(rand.NewPCG(opt.Seed, 0)),
		seen: map[uint64]verdict{},
	}
	switch {
	case s.left > 0:
	case iv.Ports == 1:
		s.left = DefaultEffortOnePort
	default:
		s.left = DefaultEffort
	}
	return s
}

// over reports whether the search must end: no effort, work or time is left, or the best topology
// is optimal.
func (s *seeker) over(ctx context.Context) bool {
	return s.left <= 0 || s.iv.spent() || ctx.Err() != nil || s.best != nil && proven(s.best.cost, s.bound)
}

// run tries the given topologies and those that the steps suggest, and then searches under
// smaller and smaller symmetry groups. The end of the context is an error only if nothing has
// been found.
func (s *seeker) run(ctx context.Context, starts []*topology.Graph) error {
	err := s.all(ctx, starts)
	if end := ctx.Err(); end != nil {
		if s.best != nil {
			return nil
		}
		return end
	}
	return err
}

func (s *seeker) all(ctx context.Context, starts []*topology.Graph) error {
	effort := s.left
	for _, g := range starts {
		if _, err := s.try(ctx, g, units.Time(inf)); err != nil {
			return err
		}
	}
	s.left = effort
	for _, g := range s.iv.suggestions(effort / 4) {
		if s.over(ctx) {
			return nil
		}
		if _, err := s.try(ctx, g, s.limit()); err != nil {
			return err
		}
	}
	groups := s.chain()
	for i, group := range groups {
		if s.over(ctx) {
			return nil
		}
		if err := s.explore(ctx, newSpace(s.iv, group), s.left/(len(groups)-i)); err != nil {
			return err
		}
	}
	return nil
}

// chain lists groups of translations, each a subgroup of the one before, from the largest that
// preserves the demands down to the trivial one.
func (s *seeker) chain() []topology.Translations {
	group := s.iv.translations()
	var groups []topology.Translations
	for !group.Trivial() {
		groups = append(groups, group)
		group = topology.Translations{Dims: group.Dims, Stride: slices.Clone(group.Stride)}
		for i, d := range group.Dims {
			if part := d / group.Stride[i]; part > 1 {
				group.Stride[i] *= arithmetic.PrimeFactors(part)[0]
				break
			}
		}
	}
	return append(groups, topology.Translations{})
}

// limit returns the cost from which a topology is not worth keeping.
func (s *seeker) limit() units.Time {
	if len(s.kept) < elite {
		return units.Time(inf)
	}
	return s.kept[elite-1].cost
}

// reportEvery is the number of topologies between calls of Progress.
const reportEvery = 256

// try returns the cost of a topology if it is below the limit, and +Inf otherwise. A topology
// that was tried before costs no effort, unless that was with a lower limit.
func (s *seeker) try(ctx context.Context, g *topology.Graph, limit units.Time) (units.Time, error) {
	return s.look(ctx, g.Fingerprint(), limit, func() *topology.Graph { return g })
}

// tryWiring is try for a wiring. It builds the graph only if needed.
func (s *seeker) tryWiring(ctx context.Context, w *wiring, limit units.Time) (units.Time, error) {
	return s.look(ctx, w.fingerprint(), limit, func() *topology.Graph { return w.graph(synthesised) })
}

func (s *seeker) look(ctx context.Context, key uint64, limit units.Time, graph func() *topology.Graph) (units.Time, error) {
	known, ok := s.seen[key]
	switch {
	case ok && !known.beaten && known.cost < limit:
		return known.cost, nil
	case ok && (!known.beaten || known.cost >= limit):
		return units.Time(inf), nil
	}
	s.tried++
	s.left--
	if s.tried%reportEvery == 0 {
		s.progress()
	}
	e, err := s.iv.price(ctx, graph(), limit)
	if err != nil {
		return units.Time(inf), err
	}
	if e == nil {
		s.seen[key] = verdict{limit, true}
		return units.Time(inf), nil
	}
	s.seen[key] = verdict{e.cost, false}
	s.remember(e)
	return e.cost, nil
}

// remember keeps a topology if it is among the best.
func (s *seeker) remember(e *priced) {
	at, _ := slices.BinarySearchFunc(s.kept, e.cost, func(k *priced, cost units.Time) int {
		if k.cost <= cost {
			return -1
		}
		return 1
	})
	s.kept = slices.Insert(s.kept, at, e)
	s.kept = s.kept[:min(len(s.kept), elite)]
	if s.best == nil || e.cost < s.best.cost {
		if s.best != nil {
			s.earlier = append(s.earlier, s.best.graph)
		}
		s.best = e
		s.progress()
	}
}

// progress tells the caller how far the search has come.
func (s *seeker) progress() {
	if s.opt.Progress == nil {
		return
	}
	p := Progress{Cost: units.Time(inf), Bound: s.bound, Evaluations: s.tried}
	if s.best != nil {
		p.Cost, p.Bound = s.best.cost, min(s.bound, s.best.cost)
	}
	s.opt.Progress(p)
}

// fingerprint returns the fingerprint of the wiring's graph.
func (w *wiring) fingerprint() uint64 {
	sum := uint64(0)
	w.each(func(u, v int) { sum += topology.CircuitFingerprint(u, v) })
	return sum
}
