package jumpset

import (
	"context"
	"slices"

	"github.com/lightpath-net/lightpath/internal/gcd"
	"github.com/lightpath-net/lightpath/internal/threads"
	"github.com/lightpath-net/lightpath/planner/exchange/model"
)

// nextJump finds the jump that is best to add to a set of jumps. It keeps what it needs
// between searches.
type nextJump struct {
	near []int32 // offsets from which one hop can lead closer, in ascending order of distance
	less []int32 // distances with the candidate
	seen []int32 // offsets whose distance the candidate lowers

	before levels // of offsets, without the candidate
	trials []*jumpTrial
}

// jumpTrial tries candidates, on a thread of its own.
type jumpTrial struct {
	sets      *nodeSets
	set, next []uint64 // offsets within some hops, with the candidate
}

func newJumpTrial(nodes int) *jumpTrial {
	sets := newNodeSets(model.Rotations(nodes))
	return &jumpTrial{sets: sets, set: make([]uint64, sets.words()), next: make([]uint64, sets.words())}
}

// best is that of the function of that name among the jumps from first on in steps.
func (t *jumpTrial) best(before *levels, first, step, limit int) (jump, total int) {
	total = limit
	for j := first; j < t.sets.group.Nodes(); j += step {
		if sum := t.total(before, j, total); sum < total {
			jump, total = j, sum
		}
	}
	return jump, total
}

// total returns the sum of distances with one more jump. Once that is seen to be at least limit,
// it returns some number that is. It is nodeSets.spread for a jump: jumps may change places along
// a way, so that the new one may come last, and what is within h+1 hops is what was so without it
// or is a jump from what is within h. A hop so takes one time through the words.
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

// best returns the jump with which the total of distances is the least, and that total.
// If none gets below limit it returns 0. It takes O(n^2), O(n*d) when all offsets are
// within 3 hops of d jumps, as only from 0 and those d offsets can a hop lead closer, and
// O(n^2*h/64) at most when all are within few hops, h.
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

// bestByLevels is best that goes through offsets 64 at a time, on several threads. Of jumps that
// are as good the smallest is taken, however many there are.
func (s *nextJump) bestByLevels(ctx context.Context, d *Distances, limit int) (jump, total int) {
	s.trials[0].sets.of(d.Hops, &s.before)
	parts := jumpParts(ctx, len(d.Hops))
	for len(s.trials) < parts {
		s.trials = append(s.trials, newJumpTrial(len(d.Hops)))
	}
	return bestOfParts(ctx, parts, limit, func(i int) (jump, total int) { return s.trials[i].best(&s.before, i+1, parts, limit) })
}

// jumpParts is into how many parts the jumps of so many nodes are divided, one for each thread.
func jumpParts(ctx context.Context, nodes int) int {
	return min(threads.Of(ctx), nodes/jumpsPerThread+1)
}

// bestOfParts returns the best of what parts find at the same time: the jump, 0 for none, with the
// least total below a limit, of equals the smallest.
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

// jumpsPerThread is how many jumps are worth a thread.
const jumpsPerThread = 32

// nearPart is the part of all offsets above which it is faster to go through all of them:
// a step on a cycle takes about a fourth of the time of a start from an offset.
const nearPart = 4

// mostLevels is the longest distance up to which offsets are gone through 64 at a time,
// distance by distance.
const mostLevels = 64

// totalWith returns the total of distances with one more jump. Going round a cycle of the
// jump, the distance is the smaller of what it was and of one more than at the offset before;
// what that is at the start takes a first time round, except from 0.
func totalWith(hops []int32, jump int) int {
	n := len(hops)
	cycles := gcd.Of(n, jump)
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

// prepare lists the offsets that are two hops closer than the farthest, and returns how far
// that is.
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

// gain returns by how much a jump lowers the total. A way that becomes shorter leaves
// the known shortest ways at some offset and goes on over the new jump only. Offsets to
// leave from are tried in ascending order of distance; one that has become closer itself
// was passed by a way that went on from there.
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
