package staged

import (
	"testing"

	"github.com/lightpath-net/lightpath/internal/permutations"
)

// ringStep is the cost of one step of recursive doubling on a topology with one circuit per node:
// the longest path, and the peak load times the step's volume.
type ringStep struct {
	hops, bytes int
	ok          bool
}

// walk sends one unit from every node to the one offset further on, hop by hop.
func walk(next []int, offset, volume int) ringStep {
	n := len(next)
	load := make([]int, n)
	longest := 0
	for src := range n {
		dst, at, hops := (src+offset)%n, src, 0
		for ; at != dst; hops++ {
			if hops == n {
				return ringStep{}
			}
			load[at]++
			at = next[at]
		}
		longest = max(longest, hops)
	}
	peak := 0
	for _, l := range load {
		peak = max(peak, l)
	}
	return ringStep{hops: longest, bytes: peak * volume, ok: true}
}

// Observation 4 of HARVEST, exhaustively for 8 nodes with one port: whatever the interval of the
// allreduce's steps, no topology has a smaller sum of hops or of bytes on the busiest circuit
// than the ring of the interval's smallest offset. Both parts hold separately, so they hold for
// every mix.
//
// A topology with one port per node is a permutation or a part of one, and an additional circuit
// does no harm, so only the 8! permutations matter.
func TestObservation4HoldsForAllTopologiesOf8Nodes(t *testing.T) {
	const n = 8
	offsets := []int{1, 2, 4, 4, 2, 1}
	volumes := []int{4, 2, 1, 1, 2, 4} // in units of m/8
	steps := len(offsets)
	on := func(next []int) (cost [6]ringStep) {
		for i := range steps {
			cost[i] = walk(next, offsets[i], volumes[i])
		}
		return cost
	}
	rings := map[int][6]ringStep{}
	for _, jump := range []int{1, 2, 4} {
		next := make([]int, n)
		for u := range next {
			next[u] = (u + jump) % n
		}
		rings[jump] = on(next)
	}
	count, feasible := 0, 0
	for next := range permutations.Of(n) {
		count++
		cost := on(next)
		for a := range steps {
			low, mine, ring := n, ringStep{}, ringStep{}
			for b := a; b < steps && cost[b].ok; b++ {
				low = min(low, offsets[b])
				feasible++
				mine, ring = ringStep{}, ringStep{}
				for i := a; i <= b; i++ {
					mine.hops += cost[i].hops
					mine.bytes += cost[i].bytes
					ring.hops += rings[low][i].hops
					ring.bytes += rings[low][i].bytes
				}
				for _, weight := range []struct{ delta, beta int }{{1, 0}, {0, 1}, {1, 1}, {3, 1}, {1, 3}} {
					if weight.delta*mine.hops+weight.beta*mine.bytes < weight.delta*ring.hops+weight.beta*ring.bytes {
						t.Fatalf("steps %d..%d: %v has %d hops and %d bytes, the ring of %d has %d and %d",
							a+1, b+1, next, mine.hops, mine.bytes, low, ring.hops, ring.bytes)
					}
				}
			}
		}
	}
	if count != 40320 || feasible < 21 {
		t.Fatalf("looked at %d permutations and %d intervals", count, feasible)
	}
}
