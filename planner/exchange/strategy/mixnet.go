package strategy

import (
	"cmp"
	"context"
	"slices"

	"github.com/lightpath-net/lightpath/planner/exchange/model"
)

// newMixNet returns the greedy topology of MixNet (Liao et al., 2025): circuits go to the pairs
// with the most chunks first, as long as both ends have a port. The circuits of the first port
// may not close a ring before it holds all nodes, so that every node can be reached; MixNet
// itself has an electrical network for that.
func newMixNet(p *Problem) solver {
	if _, equal := p.even(); equal {
		return nil // nothing says which pairs come first
	}
	return newOneTopology(p, MixNet, func(_ context.Context, s *static) ([][][]int, error) {
		pairs := heaviestFirst(s.demand)
		circuits := [][]int{greedyRing(s.nodes, pairs)}
		for p := 1; p < s.ports; p++ {
			circuits = append(circuits, greedyMatching(s.nodes, pairs, circuits))
		}
		return [][][]int{circuits}, nil
	})
}

// heaviestFirst lists all ordered pairs in descending order of demand.
func heaviestFirst(demand model.Demand) [][2]int {
	var pairs [][2]int
	for u := range demand.Nodes() {
		for v := range demand.Nodes() {
			if u != v {
				pairs = append(pairs, [2]int{u, v})
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b [2]int) int {
		return cmp.Compare(demand.Count(b[0], b[1]), demand.Count(a[0], a[1]))
	})
	return pairs
}

// greedyRing takes pairs in order as long as they form paths, and joins their ends. A pair
// of ends of different paths can always be joined, so that one ring is left.
func greedyRing(nodes int, pairs [][2]int) []int {
	next := slices.Repeat([]int{-1}, nodes)
	into := make([]bool, nodes)
	end := make([]int, nodes) // of the path that begins at a node
	for u := range end {
		end[u] = u
	}
	begin := slices.Clone(end) // of the path that ends at a node
	for _, p := range pairs {
		u, v := p[0], p[1]
		if next[u] >= 0 || into[v] || begin[u] == v {
			continue
		}
		next[u], into[v] = v, true
		first, last := begin[u], end[v]
		end[first], begin[last] = last, first
	}
	last := slices.Index(next, -1)
	next[last] = begin[last]
	return next
}

// greedyMatching takes, in order, pairs that are not connected yet.
func greedyMatching(nodes int, pairs [][2]int, circuits [][]int) []int {
	next := slices.Repeat([]int{-1}, nodes)
	into := make([]bool, nodes)
	for _, p := range pairs {
		u, v := p[0], p[1]
		if next[u] >= 0 || into[v] || slices.ContainsFunc(circuits, func(c []int) bool { return c[u] == v }) {
			continue
		}
		next[u], into[v] = v, true
	}
	return next
}
