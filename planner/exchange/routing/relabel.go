package routing

import "github.com/lightpath-net/lightpath/planner/exchange/model"

// Relabel finds which node of the demand had best be which node of the topologies: at[u] is
// the place of node u, and cost(p, q) the hops from place p to place q. It exchanges pairs of
// nodes as long as that lowers the hops of all chunks together. Finding the best is the
// quadratic assignment problem; a pass over all exchanges takes O(n^3).
func Relabel(demand model.Demand, hops func(p, q int) int) []int {
	n := demand.Nodes()
	at := make([]int, n)
	for u := range at {
		at[u] = u
	}
	for changed := true; changed; {
		changed = false
		for u := range n {
			for v := u + 1; v < n; v++ {
				if exchangeGain(demand, hops, at, u, v) > 0 {
					at[u], at[v] = at[v], at[u]
					changed = true
				}
			}
		}
	}
	return at
}

// exchangeGain returns how many hops are saved when two nodes change places.
func exchangeGain(demand model.Demand, hops func(p, q int) int, at []int, u, v int) int {
	p, q := at[u], at[v]
	gain := (demand.Count(u, v) - demand.Count(v, u)) * (hops(p, q) - hops(q, p))
	for w, r := range at {
		if w == u || w == v {
			continue
		}
		gain += (demand.Count(u, w) - demand.Count(v, w)) * (hops(p, r) - hops(q, r))
		gain += (demand.Count(w, u) - demand.Count(w, v)) * (hops(r, p) - hops(r, q))
	}
	return gain
}

// Placed returns circuits between places as circuits between nodes.
func Placed(circuits [][]int, at []int) [][]int {
	node := make([]int, len(at))
	for u, p := range at {
		node[p] = u
	}
	out := make([][]int, len(circuits))
	for i, next := range circuits {
		out[i] = make([]int, len(at))
		for u, p := range at {
			out[i][u] = -1
			if next[p] >= 0 {
				out[i][u] = node[next[p]]
			}
		}
	}
	return out
}
