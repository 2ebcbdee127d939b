package digit

import (
	"math"
	"math/bits"
	"slices"
)

// maxJumpWork limits the work of a search for jumps: sets of jumps times points times jumps.
const maxJumpWork = 1 << 19

// bestJumps returns the best jumps of circulants with the given number of points for a message in
// one step: those with the least diameter and then the least mean distance, and those with the
// least mean distance. It tries all sets of jumps, as many as the machine has ports, or half as
// many if they lead both ways. If the number of ports is odd, two-way circuits leave a port over;
// an even number of points can use it for the jump to the opposite point, which leads back by
// itself. If there are too many sets, it tries those that contain 1: every circulant with a jump
// coprime to the number of points is one of these with the points renumbered. If those are too
// many, it returns none.
func (m *Machine) bestJumps(points int) [][]int {
	var all [][]int
	if !m.Duplex {
		all = m.bestSets(points, jumpSets{count: m.Ports, most: points - 1})
	}
	if m.Duplex || m.Ports%2 == 0 || all == nil {
		all = append(all, m.bestSets(points, jumpSets{count: m.Ports / 2, most: (points - 1) / 2, twoWay: true})...)
	}
	if m.Duplex && points%2 == 0 {
		all = append(all, m.bestSets(points, jumpSets{count: (m.Ports - 1) / 2, most: (points - 1) / 2, twoWay: true, opposite: true})...)
	}
	return all
}

// jumpSets describes sets of count jumps, none above most. With twoWay each jump also leads back;
// with opposite there is also the jump to the opposite point.
type jumpSets struct {
	count, most      int
	twoWay, opposite bool
}

// bestSets returns the best of these sets; none if there are too many.
func (m *Machine) bestSets(points int, of jumpSets) [][]int {
	k, most := of.count, of.most
	if k < 2 || k > most {
		return nil
	}
	sets := 1.0 // sets that contain 1
	for i := range k - 1 {
		sets *= float64(most-1-i) / float64(i+1)
	}
	work, last := sets*float64(points*m.Ports), 1
	if work > maxJumpWork {
		return nil
	}
	if work*float64(most)/float64(k) <= maxJumpWork {
		last = most - (k - 1) // the largest first jump
	}
	low, near := best{diameter: points, sum: math.MaxInt}, best{diameter: points, sum: math.MaxInt}
	jumps := make([]int, k, k+1)
	var choose func(i int)
	choose = func(i int) {
		if i == k {
			b, connected := measure(points, jumps, of)
			if !connected {
				return
			}
			if b.diameter < low.diameter || b.diameter == low.diameter && b.sum < low.sum {
				low = b
			}
			if b.sum < near.sum {
				near = b
			}
			return
		}
		for jumps[i] = jumps[i-1] + 1; jumps[i] <= most-(k-1-i); jumps[i]++ {
			choose(i + 1)
		}
	}
	for jumps[0] = 1; jumps[0] <= last; jumps[0]++ {
		choose(1)
	}
	if low.jumps == nil {
		return nil
	}
	if slices.Equal(low.jumps, near.jumps) {
		return [][]int{low.jumps}
	}
	return [][]int{low.jumps, near.jumps}
}

// best is the jumps of a circulant, in both directions if they lead both ways, and how far points
// are.
type best struct {
	jumps         []int
	diameter, sum int
}

// measure finds the distances, and whether all points are connected. What a further hop reaches
// is what the last hop reached, shifted by every jump.
func measure(points int, jumps []int, of jumpSets) (b best, connected bool) {
	words := (points + 63) / 64
	var known, last, next circle
	known[0], last[0] = 1, 1
	for left := points - 1; left > 0; b.diameter++ {
		clear(next[:words])
		for _, j := range jumps {
			last.turn(&next, points, words, j)
			if of.twoWay {
				last.turn(&next, points, words, points-j)
			}
		}
		if of.opposite {
			last.turn(&next, points, words, points/2)
		}
		count := 0
		for i := range words {
			last[i] = next[i] &^ known[i]
			known[i] |= last[i]
			count += bits.OnesCount64(last[i])
		}
		if count == 0 {
			return best{}, false
		}
		left -= count
		b.sum += (b.diameter + 1) * count
	}
	b.jumps = slices.Clone(jumps)
	if of.twoWay {
		for _, j := range jumps {
			b.jumps = append(b.jumps, points-j)
		}
	}
	if of.opposite {
		b.jumps = append(b.jumps, points/2)
	}
	return b, true
}

// circle is a set of points of a circulant, a bit for each.
type circle [maxRouted / 64]uint64

// turn adds the points that are a jump further on, in a circle of the given points and words.
func (c *circle) turn(to *circle, points, words, jump int) {
	move := func(by int) { // up, or down if negative
		skip, shift := by>>6, uint(by&63)
		for i := max(0, skip); i < words && i-skip >= 0; i++ {
			low := i - skip
			if low < words {
				to[i] |= c[low] << shift
			}
			if shift > 0 && low > 0 && low-1 < words {
				to[i] |= c[low-1] >> (64 - shift)
			}
		}
	}
	move(jump)
	move(jump - points)
	if r := points & 63; r > 0 {
		to[words-1] &= 1<<r - 1
	}
}
