package joint

import (
	"math"
	"slices"
)

// plainWays returns the cheapest ways from a source, of at most as many hops as the network
// is wide: Bellman and Ford's.
func (n *network) plainWays(source int, load []float64) [][]int32 {
	ways, cost := make([][]int32, n.points), make([]float64, n.points)
	for v := range cost {
		cost[v] = math.Inf(1)
	}
	ways[source], cost[source] = []int32{int32(source)}, 0
	for range n.diameter {
		old, was := slices.Clone(ways), slices.Clone(cost)
		for u := range n.points {
			for _, a := range n.out[u] {
				c := was[u] + dear((load[a.class]+1.0/spreadParts)/n.width[a.class])
				if c < cost[a.node] {
					cost[a.node], ways[a.node] = c, append(slices.Clone(old[u]), a.node)
				}
			}
		}
	}
	return slices.Delete(ways, source, source+1)
}
