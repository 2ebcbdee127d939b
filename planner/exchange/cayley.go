package exchange

import (
	"context"
	"math/rand/v2"
	"slices"
)

// Limits on the work of cayley.
const (
	cayleyGroups = 3       // groups that are searched in depth
	cayleyStarts = 3       // sets of generators from which a search in a group begins
	cayleyVisits = 1 << 15 // circuits looked at for every node and number of stages
	cayleySample = 64      // generators that are tried when groups are compared
	// cayleyAutoNodes is the number of nodes up to which Auto includes the strategy for
	// one port, where it saves a few slots of a hundred over relay.
	cayleyAutoNodes = 64
)

// cayley is the strategy of generators in groups in which order matters: words over k
// letters reach up to k^h nodes with h hops, where sums of k jumps reach about h^k/k!.
// Chunks may use several topologies. It is the better of the two with several ports and
// few topologies. There is no such group of a prime number of nodes.
type cayley struct {
	uniform
	groups []Group // the most promising ones, once rank has found them
}

func newCayley(p *Problem) solver {
	u, ok := newUniform(p, Cayley, relayHops)
	if !ok || p.strategy() == Auto && u.ports == 1 && u.nodes > cayleyAutoNodes {
		return nil
	}
	groups := groupsOf(u.nodes)[1:]
	if len(groups) == 0 {
		return nil
	}
	return &cayley{u, groups}
}

func (s *cayley) draft(ctx context.Context, d int) (*draft, error) {
	if err := s.rank(ctx); err != nil {
		return nil, err
	}
	all := make([]int, s.nodes-1)
	for i := range all {
		all[i] = i + 1
	}
	floor := s.hops(s.nodes, s.ports, d)
	var best *draft
	for _, g := range s.groups {
		for start := range cayleyStarts {
			w := newWordSearch(g, s.ports, d)
			if err := w.begin(ctx, start, all); err != nil {
				return nil, err
			}
			total, err := w.descend(ctx, all, floor, cayleyVisits*s.nodes/(cayleyGroups*cayleyStarts))
			if err != nil {
				return nil, err
			}
			if total >= far {
				continue // some nodes are not reached
			}
			t := newWordTree(w)
			t.balance()
			if found := s.routed(t.routing()); best == nil || found.slots < best.slots {
				best = found
			}
			if best.slots == s.floor(d) {
				return best, nil
			}
		}
	}
	return best, nil
}

// begin sets the generators from which a search starts: the first time each the best
// given those before, then any.
func (s *wordSearch) begin(ctx context.Context, start int, candidates []int) error {
	if start > 0 {
		s.scatter(uint64(start), candidates)
		return nil
	}
	for i := range s.next {
		if err := ctx.Err(); err != nil {
			return err
		}
		s.grow(i, candidates)
	}
	return nil
}

// rank leaves the groups that are best for the fewest generators that can reach all
// nodes, judged by a sample of generators.
func (s *cayley) rank(ctx context.Context) error {
	if len(s.groups) <= cayleyGroups {
		return nil
	}
	stages := 1
	if s.ports == 1 {
		stages = 2
	}
	random := rand.New(rand.NewPCG(uint64(s.nodes), uint64(s.ports)))
	sample := make([]int, cayleySample)
	for i := range sample {
		sample[i] = 1 + random.IntN(s.nodes-1)
	}
	totals := make(map[Group]int, len(s.groups))
	for _, g := range s.groups {
		w := newWordSearch(g, s.ports, stages)
		w.scatter(0, sample)
		total, err := w.descend(ctx, sample, 0, maxTotal)
		if err != nil {
			return err
		}
		totals[g] = total
	}
	slices.SortStableFunc(s.groups, func(a, b Group) int { return totals[a] - totals[b] })
	s.groups = s.groups[:cayleyGroups]
	return nil
}
