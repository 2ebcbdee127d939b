package reconfigure

import (
	"context"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/reproduce/claim"
)

// ascending returns the order of shifts 1, n-1, 2, 3, ..: n-1 early, as in §4.3, and the rest in
// ascending order.
func ascending(nodes int) []int { return shifts(nodes, func(int) bool { return true }) }

// coprimeFirst returns the order 1, n-1, then the shifts that keep one cycle through all nodes,
// which §4.3 says it prefers, and then the other shifts.
func coprimeFirst(nodes int) []int {
	return shifts(nodes, func(jump int) bool { return arithmetic.GCD(jump, nodes) == 1 })
}

// shifts lists 1, n-1, then the preferred shifts and then all others.
func shifts(nodes int, preferred func(jump int) bool) []int {
	order := []int{1}
	if nodes > 2 {
		order = append(order, nodes-1)
	}
	for _, first := range []bool{true, false} {
		for jump := 2; jump < nodes-1; jump++ {
			if preferred(jump) == first {
				order = append(order, jump)
			}
		}
	}
	return order
}

// largestGap returns the largest ratio of slots to the bound of Theorem 1 over all numbers of
// topologies, with one port. Every flow takes the topology with the fewest hops to its target. A
// shift by j reaches h*j in h hops, so a later shift helps only within the largest remaining
// distance, and all shifts together take O(n log n), not O(n^2).
func largestGap(nodes int, order []int) float64 {
	hops := make([]int, nodes)    // to each target, over the shifts so far
	count := make([]int, nodes+1) // number of targets by hops
	for x := 1; x < nodes; x++ {
		hops[x] = nodes
	}
	count[nodes] = nodes - 1
	slots, far := nodes*(nodes-1), nodes
	largest := 0.0
	for i, jump := range order {
		x := 0
		for h := 1; h < far; h++ {
			if x += jump; x >= nodes {
				x -= nodes
			}
			if x == 0 {
				break
			}
			if h < hops[x] {
				slots -= hops[x] - h
				count[hops[x]]--
				count[h]++
				hops[x] = h
			}
		}
		for far > 1 && count[far] == 0 {
			far--
		}
		largest = max(largest, float64(slots)/float64(model.LoadHops(nodes, 1, i+1)))
		if far == 1 || float64(slots) <= largest*float64(nodes-1) {
			break // later ratios are smaller: slots fall, and the bound is at least n-1
		}
	}
	return largest
}

// largestGapOf computes the largest gap over some numbers of nodes.
func largestGapOf(from, to int, order func(nodes int) []int) func(context.Context) (float64, error) {
	return func(ctx context.Context) (float64, error) {
		most := 0.0
		for n := from; n <= to; n++ {
			if err := ctx.Err(); err != nil {
				return 0, err
			}
			most = max(most, largestGap(n, order(n)))
		}
		return most, nil
	}
}

// gapReading returns a reading with another order of shifts.
func gapReading(name string, recorded claim.Verdict, from, to int, order func(int) []int) *claim.Reading {
	return &claim.Reading{Name: name, Recorded: recorded, Ours: largestGapOf(from, to, order)}
}
