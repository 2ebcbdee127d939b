// Package disjoint keeps disjoint sets that can be joined (union-find), such as the connected
// components of a graph that grows edge by edge.
package disjoint

import "github.com/lightpath-net/lightpath/internal/arithmetic"

// Sets are sets of the numbers from 0.
type Sets struct{ parent []int }

// New returns n sets of one number each.
func New(n int) Sets {
	parent := arithmetic.UpTo(n)
	return Sets{parent}
}

// Find returns the number that stands for the set of u. Paths are halved on the way, so that m
// calls take O(m log n).
func (s Sets) Find(u int) int {
	for s.parent[u] != u {
		s.parent[u] = s.parent[s.parent[u]]
		u = s.parent[u]
	}
	return u
}

// Join joins the sets of u and v; the representative of v's set stands for the result.
func (s Sets) Join(u, v int) { s.parent[s.Find(u)] = s.Find(v) }
