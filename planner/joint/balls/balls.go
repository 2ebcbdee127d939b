package balls

import (
	"math/bits"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/planner/joint/network"
)

// Sums are the two steps of an allreduce.
type Sums struct {
	First, Second []network.Way
	// Takes is what they cost.
	Takes [2]network.Tally
}

// set is a set of points.
type set []uint64

// newSet returns an empty set of some of n points.
func newSet(n int) set { return make(set, (n+63)/64) }

func (s set) has(v int) bool { return s[v>>6]>>(v&63)&1 != 0 }
func (s set) add(v int)      { s[v>>6] |= 1 << (v & 63) }
func (s set) remove(v int)   { s[v>>6] &^= 1 << (v & 63) }
func (s set) clone() set     { return append(set(nil), s...) }

func (s set) count() int {
	count := 0
	for _, w := range s {
		count += bits.OnesCount64(w)
	}
	return count
}

// shared returns the number of points that two sets have in common.
func (s set) shared(t set) int {
	count := 0
	for i, w := range s {
		count += bits.OnesCount64(w & t[i])
	}
	return count
}

func (s set) empty() bool {
	for _, w := range s {
		if w != 0 {
			return false
		}
	}
	return true
}

func (s set) equal(t set) bool {
	for i, w := range s {
		if w != t[i] {
			return false
		}
	}
	return true
}

// within reports whether all points of the set are in another.
func (s set) within(t set) bool {
	for i, w := range s {
		if w&^t[i] != 0 {
			return false
		}
	}
	return true
}

// both sets s to the points that two sets have in common.
func (s set) both(a, b set) {
	for i := range s {
		s[i] = a[i] & b[i]
	}
}

// all yields the points of the set in ascending order.
func (s set) all(yield func(v int) bool) {
	for i, w := range s {
		for ; w != 0; w &= w - 1 {
			if !yield(i<<6 + bits.TrailingZeros64(w)) {
				return
			}
		}
	}
}

// aside are the side sums of a point: sets of points of its ball, without the point itself, and how
// many messages carry each.
type aside struct {
	sets [collective.MostSides]set
	uses [collective.MostSides]int
}

// find returns the side sum, from 1, that is a given set; 0 if there is none.
func (a *aside) find(s set) int {
	for i, t := range a.sets {
		if a.uses[i] > 0 && t.equal(s) {
			return i + 1
		}
	}
	return 0
}

// free returns a side sum, from 1, that nothing uses; 0 if there is none.
func (a *aside) free() int {
	for i, uses := range a.uses {
		if uses == 0 {
			return i + 1
		}
	}
	return 0
}

// ballsOf returns the points within some hops of each point, from which it gets their vectors.
func ballsOf(net *network.Network, near int) []set {
	ball := make([]set, net.Points)
	for v := range ball {
		ball[v] = newSet(net.Points)
	}
	for u := range net.Points {
		for v, d := range net.Distances(u) {
			if int(d) <= near {
				ball[v].add(u)
			}
		}
	}
	return ball
}
