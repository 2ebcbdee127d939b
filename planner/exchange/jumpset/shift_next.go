package jumpset

import (
	"context"
	"math/bits"
	"slices"
)

// shiftNext finds the best jump to add to the topology of some jumps, if an offset takes the
// fewer of its hops in that topology and its hops by a cover. It keeps its working memory
// between searches.
//
// The sum of hops over all offsets is the sum, over h, of the number of offsets that are not
// within h hops, neither by the cover nor in the topology. So offsets are processed 64 at a
// time, hop by hop, until the cover has all of them or the sum can no longer be below the best
// so far. Most jumps are given up after a few hops.
type shiftNext struct {
	before levels // of offsets in the topology, without the candidate
	joined levels // of offsets in the topology without the candidate, or by the cover
	least  []int32
	trials []*shiftTrial
}

// shiftTrial tries candidates, on a goroutine of its own.
type shiftTrial struct{ jumpTrial }

func newShiftTrial(nodes int) *shiftTrial { return &shiftTrial{*newJumpTrial(nodes)} }

func newShiftNext(nodes int) *shiftNext {
	return &shiftNext{least: make([]int32, nodes), trials: []*shiftTrial{newShiftTrial(nodes)}}
}

// best returns the jump with which the sum of hops is the least, the smallest of equals, and
// that sum. If no jump gets below limit it returns 0. When the context ends it returns the best
// jump by then. With h hops to the farthest offset it takes at most O(n^2*h/64), and O(n^2) if
// h is large.
func (s *shiftNext) best(ctx context.Context, cover, base []int32, limit int) (jump, total int) {
	for o, h := range cover {
		s.least[o] = min(h, base[o])
	}
	if slices.Max(s.least) > mostLevels {
		return bestCovered(ctx, cover, base, limit)
	}
	sets := s.trials[0].sets
	sets.of(base, &s.before)
	sets.of(s.least, &s.joined)
	parts := jumpParts(ctx, len(cover))
	for len(s.trials) < parts {
		s.trials = append(s.trials, newShiftTrial(len(cover)))
	}
	return bestOfParts(ctx, parts, limit, func(i int) (jump, total int) {
		return s.trials[i].best(ctx, &s.before, &s.joined, i+1, parts, limit)
	})
}

// best is shiftNext.best among the jumps first, first+step, first+2*step and so on.
func (t *shiftTrial) best(ctx context.Context, before, joined *levels, first, step, limit int) (jump, total int) {
	total = limit
	for j := first; j < t.sets.group.Nodes(); j += step {
		if j/step%askEvery == 1 && ctx.Err() != nil {
			break
		}
		if sum := t.total(before, joined, j, total); sum < total {
			jump, total = j, sum
		}
	}
	return jump, total
}

// total returns the sum of hops with a jump. Once the sum is known to be at least limit, it
// returns some number that is at least limit.
func (t *shiftTrial) total(before, joined *levels, jump, limit int) int {
	n := t.sets.group.Nodes()
	copy(t.set, before.sets[0])
	own, fresh, count, sum := 1, 1, 1, 0 // in the topology, at h hops in it, within h hops
	for h := 0; count < n; h++ {
		sum += n - count
		if sum+leastBeyond(before, joined, h, count, fresh, limit-sum) >= limit {
			return limit
		}
		within := t.sets.joinRotated(t.next, before.at(h+1), t.set, uint(jump))
		fresh, own, count = within-own, within, 0
		for i, word := range joined.at(h + 1) {
			count += bits.OnesCount64(word | t.next[i])
		}
		t.set, t.next = t.next, t.set
	}
	return sum
}

// leastBeyond returns a lower bound on the hops that offsets beyond h+1 hops need in addition
// to these. count offsets are within h hops, and fresh offsets are h hops away in the topology.
// The candidate leads from each fresh offset to at most one offset; all others within one hop
// more were so without the candidate. It stops once the bound is enough.
func leastBeyond(before, joined *levels, h, count, fresh, enough int) int {
	n, sum := joined.count[len(joined.count)-1], 0
	for h++; sum < enough; h++ {
		count += joined.grown(h) + fresh
		if count >= n {
			break
		}
		sum += n - count
		fresh = min(n, fresh+before.grown(h))
	}
	return sum
}

// bestCovered is best by rounds of the cycles of every jump, however many hops there are. If
// the cover and the topology are both empty, the best jumps are those coprime to n, and all of
// these are as good as 1.
func bestCovered(ctx context.Context, cover, base []int32, limit int) (jump, total int) {
	n := len(base)
	uncovered := slices.Min(cover[1:]) == Far
	if uncovered && slices.Min(base[1:]) == Far {
		if all := n * (n - 1) / 2; all < limit {
			return 1, all
		}
		return 0, limit
	}
	trial, from := newDistances(n), &Distances{Hops: base}
	total = limit
	for j := 1; j < n; j++ {
		if j%askEvery == 0 && ctx.Err() != nil {
			break
		}
		t := 0
		if uncovered {
			t = totalWith(base, j)
		} else {
			trial.with(from, j)
			t = totalCovered(cover, trial.Hops)
		}
		if t < total {
			jump, total = j, t
		}
	}
	return jump, total
}

// totalCovered returns the sum, over all offsets, of the smaller of two numbers of hops.
func totalCovered(cover, hops []int32) int {
	total := 0
	for o, h := range hops {
		total += int(min(cover[o], h))
	}
	return total
}
