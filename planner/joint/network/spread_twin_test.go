package network

import (
	"math"
	"slices"
)

// plainWays returns the cheapest routes from a source with at most as many hops as the diameter
// (Bellman and Ford).
func (n *Network) plainWays(source int, load []float64) [][]int32 {
	ways, cost := make([][]int32, n.Points), make([]float64, n.Points)
	for v := range cost {
		cost[v] = math.Inf(1)
	}
	ways[source], cost[source] = []int32{int32(source)}, 0
	for range n.Diameter {
		old, was := slices.Clone(ways), slices.Clone(cost)
		for u := range n.Points {
			for _, a := range n.Out[u] {
				c := was[u] + dear((load[a.Class]+1.0/spreadParts)/n.Width[a.Class])
				if c < cost[a.Node] {
					cost[a.Node], ways[a.Node] = c, append(slices.Clone(old[u]), a.Node)
				}
			}
		}
	}
	return slices.Delete(ways, source, source+1)
}
