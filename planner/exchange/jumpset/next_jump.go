package jumpset

import (
	"context"
	"slices"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/internal/threads"
	"github.com/lightpath-net/lightpath/planner/exchange/model"
)

// nextJump finds the best jump to add to a set of jumps. It keeps its working memory between
// searches.
type nextJump struct {
	near []int32 // offsets from which a new hop can shorten a way, in ascending order of distance
	less []int32 // distances with the candidate
	seen []int32 // offsets whose distance the candidate lowers

	before levels // of offsets, without the candidate
	trials []*jumpTrial
}

// jumpTrial tries candidates, on a goroutine of its own.
type jumpTrial struct {
	sets      *nodeSets
	set, next []uint64 // offsets within some hops, with the candidate
}

func newJumpTrial(nodes int) *jumpTrial {
	sets := newNodeSets(model.Rotations(nodes))
	return &jumpTrial{sets: sets, set: make([]uint64, sets.words()), next: make([]uint64, sets.words())}
}

// best is nextJump.best among the jumps first, first+step, first+2*step and so on.
func (t *jumpTrial) best(before *levels, first, step, limit int) (jump, total int) {
	total = limit
	for j := first; j < t.sets.group.Nodes(); j += step {
		if sum := t.total(before, j, total); sum < total {
			jump, total = j, sum
		}
	}
	return jump, total
}

// total returns the sum of distances with one more jump. Once the sum is known to be at least
// limit, it returns some number that is at least limit. It is nodeSets.spread for a jump. Jumps
// may change places along a way, so that the new jump may come last: an offset is within h+1
// hops if it was so without the new jump, or if it is a new jump away from an offset within h
// hops. So a hop takes one pass over the words.
func (t *jumpTrial) total(before *levels, jump, limit int) int {
	n := t.sets.group.Nodes()
	set, next := t.set, t.next
	copy(set, before.sets[0])
	fresh, count, sum := 1, 1, 0
	for h := 0; count < n; h++ {
		sum += n - count
		if limit < MaxTotal && sum+t.sets.least(before, h, count, fresh, 1, limit-sum) >= limit {
			return limit
		}
		within := t.sets.joinRotated(next, before.at(h+1), set, uint(jump))
		if fresh = within - count; fresh == 0 && h+1 >= len(before.sets) {
			return sum + (n-count)*(Far-h-1)
		}
		count = within
		set, next = next, set
	}
	return sum
}

func newNextJump(nodes int) *nextJump {
	return &nextJump{less: make([]int32, nodes), trials: []*jumpTrial{newJumpTrial(nodes)}}
}

// best returns the jump with which the total of distances is the least, and that total. If no
// jump gets below limit it returns 0. It takes O(n^2). If all offsets are within 3 hops of d
// jumps it takes O(n*d), because only from 0 and those d offsets can a hop shorten a way. If
// all are within a few hops, h, it takes at most O(n^2*h/64).
func (s *nextJump) best(ctx context.Context, d *Distances, limit int) (jump, total int) {
	most := s.prepare(d)
	few := len(s.near) < len(d.Hops)/nearPart
	if !few && most <= mostLevels {
		return s.bestByLevels(ctx, d, limit)
	}
	total = limit
	for j := 1; j < len(d.Hops); j++ {
		t := 0
		if few {
			t = d.Total - s.gain(d, j)
		} else {
			t = totalWith(d.Hops, j)
		}
		if t < total {
			jump, total = j, t
		}
	}
	return jump, total
}

// bestByLevels is best on 64 offsets at a time, on several goroutines. Of equally good jumps it
// takes the smallest, whatever the number of goroutines.
func (s *nextJump) bestByLevels(ctx context.Context, d *Distances, limit int) (jump, total int) {
	s.trials[0].sets.of(d.Hops, &s.before)
	parts := jumpParts(ctx, len(d.Hops))
	for len(s.trials) < parts {
		s.trials = append(s.trials, newJumpTrial(len(d.Hops)))
	}
	return bestOfParts(ctx, parts, limit, func(i int) (jump, total int) { return s.trials[i].best(&s.before, i+1, parts, limit) })
}

// jumpParts returns the number of parts into which the jumps are divided, one for each
// goroutine.
func jumpParts(ctx context.Context, nodes int) int {
	return min(threads.Of(ctx), nodes/jumpsPerThread+1)
}

// bestOfParts runs all parts in parallel and returns the best of what they find: the jump with
// the least total below limit, the smallest of equals, or 0 if there is none.
func bestOfParts(ctx context.Context, parts, limit int, find func(part int) (jump, total int)) (jump, total int) {
	jumps, totals := make([]int, parts), make([]int, parts)
	threads.Each(ctx, parts, func(i int) { jumps[i], totals[i] = find(i) })
	total = limit
	for i, t := range totals {
		if jumps[i] > 0 && (t < total || t == total && jumps[i] < jump) {
			jump, total = jumps[i], t
		}
	}
	return jump, total
}

// jumpsPerThread is the number of jumps that are worth a goroutine.
const jumpsPerThread = 32

// nearPart says when it is faster to visit all offsets: when at least 1/nearPart of them are
// near. A step on a cycle takes about a fourth of the time of a start from an offset.
const nearPart = 4

// mostLevels is the longest distance for which offsets are processed 64 at a time, distance by
// distance.
const mostLevels = 64

// totalWith returns the total of distances with one more jump. Along a cycle of the jump, the
// distance of an offset is the smaller of its old distance and one more than the distance of
// the offset before. A first round of the cycle finds the distance at its start; the cycle of 0
// needs none.
func totalWith(hops []int32, jump int) int {
	n := len(hops)
	cycles := arithmetic.GCD(n, jump)
	total := 0
	for start := range cycles {
		h := int32(0)
		if start > 0 {
			h = Far
			for o, left := start, n/cycles; left > 0; left-- {
				h = min(h, hops[o]) + 1
				if o += jump; o >= n {
					o -= n
				}
			}
		}
		for o, left := start, n/cycles; left > 0; left-- {
			h = min(h, hops[o])
			total += int(h)
			h++
			if o += jump; o >= n {
				o -= n
			}
		}
	}
	return total
}

// prepare lists the offsets that are at least two hops closer than the farthest, and returns
// the distance of the farthest.
func (s *nextJump) prepare(d *Distances) (most int32) {
	copy(s.less, d.Hops)
	most = slices.Max(d.Hops)
	s.near = s.near[:0]
	for o, h := range d.Hops {
		if h <= most-2 {
			s.near = append(s.near, int32(o))
		}
	}
	slices.SortStableFunc(s.near, func(a, b int32) int { return int(d.Hops[a] - d.Hops[b]) })
	return most
}

// gain returns by how much a jump lowers the total. A way that becomes shorter leaves the known
// shortest ways at some offset and continues over the new jump only. Offsets at which it may
// leave are tried in ascending order of distance. An offset that has become closer itself is
// skipped: the way that made it closer has continued from there.
func (s *nextJump) gain(d *Distances, jump int) int {
	n, gain := len(d.Hops), 0
	s.seen = s.seen[:0]
	for _, start := range s.near {
		o, h := int(start), d.Hops[start]
		if s.less[o] < h {
			continue
		}
		for {
			if o += jump; o >= n {
				o -= n
			}
			if h++; h >= s.less[o] {
				break
			}
			if s.less[o] == d.Hops[o] {
				s.seen = append(s.seen, int32(o))
			}
			gain += int(s.less[o] - h)
			s.less[o] = h
		}
	}
	for _, o := range s.seen {
		s.less[o] = d.Hops[o]
	}
	return gain
}
