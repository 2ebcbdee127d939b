package model

import (
	"iter"
	"slices"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
)

// DemandBound returns a lower bound on the slots that any schedule needs for a demand with k
// ports and d topologies. Counted from the sources, the chunks for the destinations within h
// hops are at most those for the within(h) destinations with the most chunks (see RelayBound),
// and all others make a hop number h+1. Counted from the destinations, the same holds in
// reverse. A slot serves k hops of every node. Besides, a node sends and receives no more than
// k chunks in a slot. It takes O(n^2 log n + n*h).
func DemandBound(demand Demand, k, d int) (int, error) {
	if err := CheckBound(demand.Nodes(), k, d); err != nil {
		return 0, err
	}
	return NewDemandRows(demand).Slots(k, func(n int) iter.Seq[int] { return AcrossAll(k, d, n) }), nil
}

// DemandRows holds, for each node, the running sums of what it sends and of what it receives,
// the largest first.
type DemandRows struct {
	nodes int
	sums  [2][][]int // sums[0][u][m]: chunks of u for the m destinations with the most
}

func NewDemandRows(demand Demand) *DemandRows {
	n := demand.Nodes()
	r := &DemandRows{nodes: n}
	counts := make([]int, n)
	for side := range r.sums {
		for u := range n {
			for v := range n {
				if counts[v] = demand.Count(u, v); side == 1 {
					counts[v] = demand.Count(v, u)
				}
			}
			slices.Sort(counts)
			sums := make([]int, n)
			for m := 1; m < n; m++ {
				sums[m] = sums[m-1] + counts[n-m]
			}
			r.sums[side] = append(r.sums[side], sums)
		}
	}
	return r
}

// Slots returns the bound if reach yields upper bounds on the nodes at 1, 2, .. hops.
func (r *DemandRows) Slots(k int, reach func(n int) iter.Seq[int]) int {
	bound := 0
	beyond := slices.Collect(left(r.nodes, reach(r.nodes)))
	for _, rows := range r.sums {
		hops := 0
		for _, sums := range rows {
			all := sums[r.nodes-1]
			bound = max(bound, arithmetic.CeilDiv(all, k))
			for _, count := range beyond {
				hops += all - sums[r.nodes-1-count]
			}
		}
		bound = max(bound, arithmetic.CeilDiv(hops, r.nodes*k))
	}
	return bound
}

// busiest returns what each node sends or receives, whichever is more.
func (r *DemandRows) busiest() []int {
	most := make([]int, r.nodes)
	for _, side := range r.sums {
		for u, sums := range side {
			most[u] = max(most[u], sums[r.nodes-1])
		}
	}
	return most
}
