package strategy

import (
	"context"
	"errors"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/internal/threads"
	"github.com/lightpath-net/lightpath/planner/exchange/jumpset"
	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/routing"
)

// Limits on the work of cayley.
const (
	cayleyGroups = 3       // groups that are searched in depth
	cayleyStarts = 3       // sets of generators from which a search in a group begins
	cayleyVisits = 1 << 15 // circuits looked at for every node and number of stages
	cayleyLarge  = 256     // nodes beyond which their total no longer grows
	cayleySample = 64      // generators that are tried for a port when groups are compared
	// cayleyTries bounds the generators tried in other searches: their number for all ports of
	// all stages together, times the ports of a stage.
	cayleyTries  = 1 << 16
	cayleyNodes  = 1 << 18 // nodes looked at by all tries for a port
	cayleyFewest = 16      // generators that are tried for a port at least
	// cayleyAutoNodes is the largest number of nodes for which Auto includes the strategy for
	// one port, where it saves a few slots in a hundred over relay.
	cayleyAutoNodes = 64
)

// cayley is the strategy of generators in groups in which order matters: words over k letters
// reach up to k^h nodes with h hops, whereas sums of k jumps reach about h^k/k!. Chunks may use
// several topologies. With several ports and few topologies cayley is better than relay. There
// is no such group of a prime number of nodes.
//
// If circuits are two-way, generators come with their inverses, and rotations count as a group,
// too.
type cayley struct {
	uniform
	duplex bool
	groups []model.Group // the most promising ones, once rank has found them
	grown  *grown
	memory *Memory
}

func newCayley(p *Problem) solver {
	hops := model.RelayHops
	if p.Duplex && p.ports() > 1 {
		hops = model.TwoWayHops
	}
	u, ok := newUniform(p, Cayley, hops)
	even := &cayley{uniform: u, duplex: p.Duplex, groups: cayleyGroupsOf(p), grown: &grown{known: map[grownCase][][]int{}}, memory: p.Memory}
	if len(even.groups) == 0 || p.sparing() && !p.Duplex && u.ports == 1 && u.nodes > cayleyAutoNodes {
		return nil
	}
	if ok {
		return even
	}
	s, _ := newSkewed(p, Cayley, true)
	even.each = 1
	return &placedRelay{skewed: s, even: even.routing}
}

// cayleyGroupsOf lists the groups that have generators for the ports.
func cayleyGroupsOf(p *Problem) []model.Group {
	n := p.Demand.Nodes()
	list := model.Groups(n)
	if !p.Duplex {
		return list[1:]
	}
	return slices.DeleteFunc(list, func(g model.Group) bool {
		_, ok := jumpset.UnitsOf(g, p.ports(), true, jumpset.UpTo(n-1))
		return !ok
	})
}

func (s *cayley) candidates(ctx context.Context, d int, worth func(slots int) bool, visit visitor) error {
	r, err := s.routingIf(ctx, d, worth)
	if err != nil || r == nil {
		return err
	}
	return visit(s.routed(r))
}

// routing returns the ways over the generators that it finds for d stages, or nil if every
// search leaves nodes unreached.
func (s *cayley) routing(ctx context.Context, d int) (*routing.Ways, error) {
	return s.routingIf(ctx, d, func(int) bool { return true })
}

// routingIf is routing without generators that take too many slots to be worth it, however
// their words are balanced.
func (s *cayley) routingIf(ctx context.Context, d int, worth func(slots int) bool) (*routing.Ways, error) {
	c := wordCase{nodes: s.nodes, ports: s.ports, each: s.each, stages: d, fluid: s.fluid, duplex: s.duplex}
	return s.memory.ways(c, worth, func() (found, error) { return s.find(ctx, d, worth) })
}

// find is routingIf without its memory.
func (s *cayley) find(ctx context.Context, d int, worth func(slots int) bool) (found, error) {
	if err := s.rank(ctx); err != nil {
		return found{}, err
	}
	all := make([]found, len(s.groups)*cayleyStarts)
	errs := make([]error, len(all))
	var settled atomic.Int64 // a search that reaches the floor; none after it is better
	settled.Store(math.MaxInt64)
	var asking sync.Mutex // for worth
	starts := s.starts(d)
	threads.Few(ctx, len(all), func(i int) {
		if int64(i) > settled.Load() || i%cayleyStarts >= starts {
			all[i].without = jumpset.MaxTotal
			return
		}
		all[i], errs[i] = s.search(ctx, d, s.groups[i/cayleyStarts], i%cayleyStarts, func(slots int) bool {
			asking.Lock()
			defer asking.Unlock()
			return worth(slots)
		})
		if r := all[i].ways; r != nil && s.slots(r) == s.floor(d) {
			settled.Store(int64(i))
		}
	})
	if err := errors.Join(errs...); err != nil {
		return found{}, err
	}
	best := found{without: jumpset.MaxTotal}
	least := jumpset.MaxTotal
	for _, one := range all {
		best.without = min(best.without, one.without)
		if one.ways == nil {
			continue
		}
		if slots := s.slots(one.ways); slots < least {
			best.ways, least = one.ways, slots
		}
	}
	return best, nil
}

// search looks for generators in one group from one start. It returns no ways if the generators
// do not reach all nodes, or if the slots are not worth it.
func (s *cayley) search(ctx context.Context, d int, g model.Group, start int, worth func(slots int) bool) (found, error) {
	none := found{without: jumpset.MaxTotal}
	tries := cayleyTries / (s.ports * s.ports * d)
	units := s.units(g, tries)
	w := jumpset.NewWordSearch(g, units, d)
	if err := s.begin(ctx, w, grownCase{g, s.tried(tries)}, start, d); err != nil {
		return none, err
	}
	visits := w.Visits + s.visits()
	total, err := w.Descend(ctx, s.hops(s.nodes, s.ports, d), visits)
	if err != nil || total >= jumpset.Far {
		return none, err
	}
	if slots := s.fewestSlots(total); !worth(slots) {
		return found{without: slots}, nil
	}
	t := jumpset.NewWordTree(w)
	if err := t.Balance(ctx); err != nil {
		return none, err
	}
	return found{t.Ways(), jumpset.MaxTotal}, nil
}

// visits returns how many circuits a search looks at.
func (s *cayley) visits() int {
	return cayleyVisits * min(s.nodes, cayleyLarge) / (cayleyGroups * cayleyStarts)
}

// starts returns the number of starts for d stages. Random generators are not worth their time if
// the search then improves only few of them: of 92 searches (300 to 1024 nodes, 2 to 6 ports, up to
// 8 stages) that improve less than a quarter, start 0 was better in all, mostly by some hundredths.
// Smaller searches take hardly any time.
func (s *cayley) starts(d int) int {
	improved := arithmetic.CeilDiv(s.visits(), s.tried(cayleyTries/(s.ports*s.ports*d))*d*s.nodes*s.ports)
	if s.nodes > cayleyLarge && 4*improved < s.ports*d {
		return 1
	}
	return cayleyStarts
}

// units divides the ports of a stage into units, each with about tries generators to try, or
// with all generators if there are no more. The numbers of nodes and ports select the
// generators.
func (s *cayley) units(g model.Group, tries int) []jumpset.Unit {
	all := jumpset.UpTo(s.nodes - 1)
	if tries = s.tried(tries); tries < len(all) {
		random := rand.New(rand.NewPCG(uint64(s.nodes), uint64(s.ports)))
		random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		if units, ok := jumpset.UnitsOf(g, s.ports, s.duplex, all[:tries]); ok {
			return units
		}
	}
	units, _ := jumpset.UnitsOf(g, s.ports, s.duplex, all)
	return units
}

// tried returns how many generators units has for about the given number of tries.
func (s *cayley) tried(tries int) int {
	return min(max(min(tries, cayleyNodes/s.nodes), cayleyFewest), s.nodes-1)
}

// grownCase is what the generators of start 0 depend on, apart from their number of stages.
type grownCase struct {
	group model.Group
	tries int
}

// grown remembers the generators of start 0 for the most stages so far.
type grown struct {
	mutex sync.Mutex
	known map[grownCase][][]int
}

// begin is WordSearch.Begin. Start 0 takes most of the time of a search with many stages, and
// begins as the searches with fewer stages did.
func (s *cayley) begin(ctx context.Context, w *jumpset.WordSearch, c grownCase, start, d int) error {
	if start > 0 {
		return w.Begin(ctx, start, nil)
	}
	s.grown.mutex.Lock()
	known := s.grown.known[c]
	s.grown.mutex.Unlock()
	if err := w.Begin(ctx, start, known[:min(d, len(known))]); err != nil || d <= len(known) {
		return err
	}
	s.grown.mutex.Lock()
	defer s.grown.mutex.Unlock()
	if d > len(s.grown.known[c]) {
		s.grown.known[c] = w.Generators()
	}
	return nil
}

// fewest returns the number of stages that can be expected to reach all nodes. One generator
// reaches only its powers, two reach a whole group, and a generator that is its own inverse
// only doubles what others reach.
func (s *cayley) fewest() int {
	switch {
	case s.duplex && s.ports == 1:
		return bits.Len(uint(s.nodes))
	case s.ports == 1, s.duplex && s.ports == 2:
		return 2
	}
	return 1
}

// rank keeps the groups that are best for the fewest stages that can reach all nodes, judged by
// a sample of generators.
func (s *cayley) rank(ctx context.Context) error {
	if len(s.groups) <= cayleyGroups {
		return nil
	}
	stages := s.fewest()
	found, errs := make([]int, len(s.groups)), make([]error, len(s.groups))
	threads.Few(ctx, len(s.groups), func(i int) {
		g := s.groups[i]
		units := s.units(g, min(cayleySample, cayleyTries/(s.ports*s.ports)))
		w := jumpset.NewWordSearch(g, units, stages)
		w.Scatter(0)
		found[i], errs[i] = w.Descend(ctx, 0, cayleyVisits*min(s.nodes, cayleyLarge)/len(s.groups))
	})
	if err := errors.Join(errs...); err != nil {
		return err
	}
	totals := make(map[model.Group]int, len(s.groups))
	for i, g := range s.groups {
		totals[g] = found[i]
	}
	slices.SortStableFunc(s.groups, func(a, b model.Group) int { return totals[a] - totals[b] })
	s.groups = s.groups[:cayleyGroups]
	return nil
}
