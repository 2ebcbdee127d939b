package synthesis

import (
	"context"
	"encoding/binary"
	"hash/fnv"
	"math/rand/v2"
	"slices"

	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// DefaultEffort is the effort of Search where none is given.
const DefaultEffort = 2000

// Options say how long to look and whom to tell.
type Options struct {
	// Effort is the number of topologies that Search looks at beyond those it is given to
	// start from; 0 is DefaultEffort. Exact does not need it.
	Effort int
	// Seed chooses the random numbers of Search.
	Seed uint64
	// Progress, if set, is called now and then from the calling goroutine.
	Progress func(Progress)
}

// Search looks for a good topology.
func Search(ctx context.Context, p Problem, starts []*topology.Graph, opt Options) (*Result, error) {
	iv, err := newInterval(p)
	if err != nil {
		return nil, err
	}
	for _, g := range starts {
		if err := iv.fits(g); err != nil {
			return nil, err
		}
	}
	bound := iv.count().time
	s := newSeeker(ctx, iv, opt, bound)
	if err := s.run(starts); err != nil {
		return nil, err
	}
	if s.best == nil {
		return nil, ErrInfeasible
	}
	return newResult(iv, s.best, bound, s.tried), nil
}

// seeker is a run of Search.
type seeker struct {
	iv    *interval
	ctx   context.Context
	opt   Options
	bound units.Time
	rng   *rand.Rand
	seen  map[uint64]verdict // of all topologies looked at, by their fingerprints
	kept  []*priced          // the best topologies, best first
	best  *priced
	tried int
	left  int
}

// verdict is what is known of a topology: its cost, or a limit that it does not beat.
type verdict struct {
	cost   units.Time
	beaten bool
}

// synthesised is the name of the topologies that the search makes up.
const synthesised = "synthesised"

// elite is how many topologies are remembered to start from.
const elite = 16

func newSeeker(ctx context.Context, iv *interval, opt Options, bound units.Time) *seeker {
	effort := opt.Effort
	if effort == 0 {
		effort = DefaultEffort
	}
	return &seeker{
		iv: iv, ctx: ctx, opt: opt, bound: bound, left: effort,
		rng:  rand.New(rand.NewPCG(opt.Seed, 0)),
		seen: map[uint64]verdict{},
	}
}

// over reports whether the search has to end: no effort or time is left, or nothing
// better can be found.
func (s *seeker) over() bool {
	return s.left <= 0 || s.ctx.Err() != nil || s.best != nil && s.best.cost <= s.bound*(1+provenGap)
}

// run looks at the topologies given, at those that the steps suggest, and then searches
// around the best, under smaller and smaller groups of symmetries.
func (s *seeker) run(starts []*topology.Graph) error {
	for _, g := range starts {
		before := s.left
		if _, err := s.try(g, units.Time(inf)); err != nil {
			return s.ended(err)
		}
		s.left = before // they are not part of the effort
	}
	for _, g := range s.iv.suggestions(s.left / 4) {
		if s.over() {
			return nil
		}
		if _, err := s.try(g, s.limit()); err != nil {
			return s.ended(err)
		}
	}
	groups := s.chain()
	for i, group := range groups {
		if s.over() {
			return nil
		}
		if err := s.explore(newSpace(s.iv, group), s.left/(len(groups)-i)); err != nil {
			return s.ended(err)
		}
	}
	return nil
}

// ended turns the end of the context into the end of the search, if it has found
// anything.
func (s *seeker) ended(err error) error {
	if s.ctx.Err() != nil && s.best != nil {
		return nil
	}
	return err
}

// chain lists groups of translations from the largest under which the demands look the
// same down to the trivial one, each a part of the one before.
func (s *seeker) chain() []topology.Translations {
	group := s.iv.translations()
	var groups []topology.Translations
	for !group.Trivial() {
		groups = append(groups, group)
		group = topology.Translations{Dims: group.Dims, Stride: slices.Clone(group.Stride)}
		for i, d := range group.Dims {
			if sub := d / group.Stride[i]; sub > 1 {
				group.Stride[i] *= smallestFactor(sub)
				break
			}
		}
	}
	return append(groups, topology.Translations{})
}

func smallestFactor(n int) int {
	for f := 2; f*f <= n; f++ {
		if n%f == 0 {
			return f
		}
	}
	return n
}

// limit is the cost from which a topology is not worth remembering.
func (s *seeker) limit() units.Time {
	if len(s.kept) < elite {
		return units.Time(inf)
	}
	return s.kept[elite-1].cost
}

// try returns the cost of a topology if it is below the limit, and +Inf if it is not. One
// that has been looked at before costs no effort, unless it was with a lower limit.
func (s *seeker) try(g *topology.Graph, limit units.Time) (units.Time, error) {
	key := fingerprint(g)
	known, ok := s.seen[key]
	switch {
	case ok && !known.beaten && known.cost < limit:
		return known.cost, nil
	case ok && (!known.beaten || known.cost >= limit):
		return units.Time(inf), nil
	}
	s.tried++
	s.left--
	e, err := s.iv.price(s.ctx, g, limit)
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

// remember keeps a topology among the best.
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
		s.best = e
		if s.opt.Progress != nil {
			s.opt.Progress(Progress{Cost: e.cost, Bound: s.bound, Evaluations: s.tried})
		}
	}
}

// fingerprint is a number that graphs with the same circuits share.
func fingerprint(g *topology.Graph) uint64 {
	h := fnv.New64a()
	var b [12]byte
	for e := range g.Edges() {
		binary.LittleEndian.PutUint32(b[0:], uint32(e.From))
		binary.LittleEndian.PutUint32(b[4:], uint32(e.To))
		binary.LittleEndian.PutUint32(b[8:], uint32(e.Count))
		h.Write(b[:])
	}
	return h.Sum64()
}
