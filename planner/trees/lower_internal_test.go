package trees

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/topology"
)

// leastDepth returns the depth of the lowest of all forests of count trees; 0 if there is none.
func leastDepth(from [][]int32, count int) int {
	nodes, least := len(from), 0
	forest := make([]tree, count)
	for i := range forest {
		forest[i] = tree{parent: make([]int32, nodes), level: make([]int, nodes)}
	}
	var choose func(v, i int, used []bool)
	choose = func(v, i int, used []bool) {
		switch {
		case v == nodes:
			for k := range forest {
				for u := 1; u < nodes; u++ {
					for at, hops := forest[k].parent[u], 0; at != 0; at, hops = forest[k].parent[at], hops+1 {
						if hops > nodes {
							return // no tree
						}
					}
				}
				forest[k].leveled()
			}
			if depth := deepest(forest); least == 0 || depth < least {
				least = depth
			}
		case i == count:
			choose(v+1, 0, nil)
		default:
			if used == nil {
				used = make([]bool, len(from[v]))
			}
			for j, u := range from[v] {
				if !used[j] {
					used[j] = true
					forest[i].parent[v] = u
					choose(v, i+1, used)
					used[j] = false
				}
			}
		}
	}
	choose(1, 0, nil)
	return least
}

// The depth at which the search for lower trees ends is no greater than that of any forest, by
// enumeration of all forests; and often it is that of the lowest.
func TestNoForestIsLowerThanItsBound(t *testing.T) {
	random := rand.New(rand.NewPCG(30, 41))
	checked, met := 0, 0
	for range 200 {
		n := 3 + random.IntN(2)
		from := make([][]int32, n)
		var edges []topology.Edge
		for v := 1; v < n; v++ {
			for range 2 + random.IntN(3) {
				if u := random.IntN(n); u != v {
					from[v] = append(from[v], int32(u))
					edges = append(edges, topology.Edge{From: u, To: v, Count: 1})
				}
			}
		}
		count := 1 + random.IntN(2)
		if slices.ContainsFunc(from[1:], func(list []int32) bool { return len(list) < count }) {
			continue
		}
		least := leastDepth(from, count)
		if least == 0 {
			continue
		}
		checked++
		switch bound := lowest(from, count); {
		case bound > least:
			t.Errorf("bound %d, and %d trees have depth %d: %v", bound, count, least, edges)
		case bound == least:
			met++
		}
	}
	if checked < 40 || met < checked/2 {
		t.Errorf("%d forests, %d as low as their bound", checked, met)
	}
}
