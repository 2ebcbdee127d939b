package jumpset

import (
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/planner/exchange/model"
)

// Distances holds the number of hops to every offset from 0 in the directed circulant
// graph of a set of jumps.
type Distances struct {
	Hops  []int32
	Total int
}

// Far stands for an offset that cannot be reached. It is more than any distance, and
// the sum of n of them does not overflow.
const Far = 1 << 20

// newDistances returns the distances without any jump.
func newDistances(nodes int) *Distances {
	d := &Distances{Hops: make([]int32, nodes), Total: (nodes - 1) * Far}
	for o := 1; o < nodes; o++ {
		d.Hops[o] = Far
	}
	return d
}

// DistancesOf returns the distances for a set of jumps, in O(nodes x jumps).
func DistancesOf(nodes int, jumps []int) *Distances {
	d := newDistances(nodes)
	for _, j := range jumps {
		d.with(d, j)
	}
	return d
}

// MaxTotal is more than any total.
const MaxTotal = Far * model.MaxNodes

// with sets d to the distances of from with one more jump. d and from may be the same.
//
// The shortest way to an offset either comes over the new jump, from the offset before it on a
// cycle of that jump, or does not use the new jump. One round of a cycle is enough if it starts
// at the smallest distance. From anywhere else, a second round is needed up to the first offset
// that does not change. All that takes O(nodes).
func (d *Distances) with(from *Distances, jump int) {
	n := len(from.Hops)
	cycles := arithmetic.GCD(n, jump)
	total := 0
	for start := range cycles {
		o, h := start, from.Hops[start]
		for range n / cycles {
			h = min(h, from.Hops[o])
			d.Hops[o] = h
			total += int(h)
			h++
			if o += jump; o >= n {
				o -= n
			}
		}
		for ; h < d.Hops[o]; h++ {
			total -= int(d.Hops[o] - h)
			d.Hops[o] = h
			if o += jump; o >= n {
				o -= n
			}
		}
	}
	d.Total = total
}

// UpTo returns 1, 2, .., most.
func UpTo(most int) []int {
	list := make([]int, most)
	for i := range list {
		list[i] = i + 1
	}
	return list
}
