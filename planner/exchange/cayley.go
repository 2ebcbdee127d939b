package exchange

import (
	"context"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// Limits on the work of cayley.
const (
	cayleyGroups = 3       // groups that are searched in depth
	cayleyStarts = 3       // sets of generators from which a search in a group begins
	cayleyVisits = 1 << 15 // circuits looked at for every node and number of stages
	cayleySample = 64      // generators that are tried for a port when groups are compared
	cayleyTries  = 1 << 16 // and otherwise, for all ports of all stages together and every port of a stage
	cayleyFewest = 16      // generators that are tried for a port at least
	// cayleyAutoNodes is the number of nodes up to which Auto includes the strategy for
	// one port, where it saves a few slots of a hundred over relay.
	cayleyAutoNodes = 64
)

// cayley is the strategy of generators in groups in which order matters: words over k
// letters reach up to k^h nodes with h hops, where sums of k jumps reach about h^k/k!.
// Chunks may use several topologies. It is the better of the two with several ports and
// few topologies. There is no such group of a prime number of nodes.
//
// Where circuits are two-way, generators come with their inverses, and rotations count as a
// group, too.
type cayley struct {
	uniform
	duplex bool
	groups []Group // the most promising ones, once rank has found them
}

func newCayley(p *Problem) solver {
	u, ok := newUniform(p, Cayley, relayHops)
	even := &cayley{u, p.Duplex, cayleyGroupsOf(p)}
	if len(even.groups) == 0 || p.strategy() == Auto && !p.Duplex && u.ports == 1 && (!ok || u.nodes > cayleyAutoNodes) {
		return nil
	}
	if ok {
		return even
	}
	s, _ := newSkewed(p, Cayley, true)
	even.each = 1
	return &placedRelay{s, even.routing}
}

// cayleyGroupsOf lists the groups that have generators for the ports.
func cayleyGroupsOf(p *Problem) []Group {
	n := p.Demand.Nodes()
	list := groupsOf(n)
	if !p.Duplex {
		return list[1:]
	}
	return slices.DeleteFunc(list, func(g Group) bool {
		_, ok := unitsOf(g, p.ports(), true, counts(n-1))
		return !ok
	})
}

func (s *cayley) draft(ctx context.Context, d, _ int) (*draft, error) {
	r, err := s.routing(ctx, d)
	if err != nil || r == nil {
		return nil, err
	}
	return s.routed(r), nil
}

// routing returns the ways over the generators that are found for d stages, or nil if all
// searches left nodes that they do not reach.
func (s *cayley) routing(ctx context.Context, d int) (*routing, error) {
	if err := s.rank(ctx); err != nil {
		return nil, err
	}
	var best *routing
	least := maxTotal
	for i := range len(s.groups) * cayleyStarts {
		r, err := s.search(ctx, d, s.groups[i/cayleyStarts], i%cayleyStarts)
		if err != nil {
			return nil, err
		}
		if r == nil {
			continue
		}
		if slots := r.slots(s.each); slots < least {
			best, least = r, slots
		}
		if least == s.floor(d) {
			break
		}
	}
	return best, nil
}

// search looks for generators in one group from one start. It returns nil if they do not
// reach all nodes.
func (s *cayley) search(ctx context.Context, d int, g Group, start int) (*routing, error) {
	units := s.units(g, cayleyTries/(s.ports*s.ports*d))
	w := newWordSearch(g, units, d)
	if err := w.begin(ctx, start); err != nil {
		return nil, err
	}
	visits := w.visits + cayleyVisits*s.nodes/(cayleyGroups*cayleyStarts)
	total, err := w.descend(ctx, s.hops(s.nodes, s.ports, d), visits)
	if err != nil || total >= far {
		return nil, err
	}
	t := newWordTree(w)
	t.balance()
	return t.routing(), nil
}

// units divides the ports of a stage, each with about so many generators to try, chosen by
// the numbers of nodes and ports, or with all if there are no more.
func (s *cayley) units(g Group, tries int) []unit {
	all := counts(s.nodes - 1)
	if tries = max(tries, cayleyFewest); tries < len(all) {
		random := rand.New(rand.NewPCG(uint64(s.nodes), uint64(s.ports)))
		random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		if units, ok := unitsOf(g, s.ports, s.duplex, all[:tries]); ok {
			return units
		}
	}
	units, _ := unitsOf(g, s.ports, s.duplex, all)
	return units
}

// begin sets the generators from which a search starts: the first time each the best
// given those before, then any.
func (s *wordSearch) begin(ctx context.Context, start int) error {
	if start > 0 {
		s.scatter(uint64(start))
		return nil
	}
	for i := range s.next {
		if err := ctx.Err(); err != nil {
			return err
		}
		s.grow(i)
	}
	return nil
}

// fewest returns with how many stages all nodes can be expected to be reached: one generator
// reaches as many nodes as its powers have, two reach all of a group, and one that is its own
// inverse only doubles what others reach.
func (s *cayley) fewest() int {
	switch {
	case s.duplex && s.ports == 1:
		return bits.Len(uint(s.nodes))
	case s.ports == 1, s.duplex && s.ports == 2:
		return 2
	}
	return 1
}

// rank leaves the groups that are best for the fewest stages that can reach all nodes,
// judged by a sample of generators.
func (s *cayley) rank(ctx context.Context) error {
	if len(s.groups) <= cayleyGroups {
		return nil
	}
	stages := s.fewest()
	totals := make(map[Group]int, len(s.groups))
	for _, g := range s.groups {
		units := s.units(g, min(cayleySample, cayleyTries/(s.ports*s.ports)))
		w := newWordSearch(g, units, stages)
		w.scatter(0)
		total, err := w.descend(ctx, 0, cayleyVisits*s.nodes/len(s.groups))
		if err != nil {
			return err
		}
		totals[g] = total
	}
	slices.SortStableFunc(s.groups, func(a, b Group) int { return totals[a] - totals[b] })
	s.groups = s.groups[:cayleyGroups]
	return nil
}
