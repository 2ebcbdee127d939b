package flow

import (
	"context"
	"slices"

	"github.com/lightpath-net/lightpath/flow/search"
	"github.com/lightpath-net/lightpath/topology"
)

// searchFrom searches for the distances to a node until it finds the last source of some
// demands; wanted is all false before and after it.
func searchFrom(d *search.Distances, dst int, demands []Demand, here []int, wanted []bool) {
	missing := 0
	for _, i := range here {
		if at := &wanted[demands[i].Src]; !*at {
			*at = true
			missing++
		}
	}
	d.SearchUntil(dst, func(u int32) bool {
		if wanted[u] {
			missing--
		}
		return missing == 0
	})
	for _, i := range here {
		wanted[demands[i].Src] = false
	}
}

// byNode lists the indices of the demands by the node that key picks, so that one
// search serves all of them: those of node u are list[start[u]:start[u+1]].
func byNode(n int, demands []Demand, key func(Demand) int) (start, list []int) {
	start = make([]int, n+1)
	for _, d := range demands {
		start[key(d)+1]++
	}
	for u := range n {
		start[u+1] += start[u]
	}
	list = make([]int, len(demands))
	free := append([]int(nil), start...)
	for i, d := range demands {
		u := key(d)
		list[free[u]] = i
		free[u]++
	}
	return start, list
}

// destinations lists the destinations of some demands.
func destinations(demands []Demand, list []int) []int32 {
	ends := make([]int32, len(list))
	for k, i := range list {
		ends[k] = int32(demands[i].Dst)
	}
	return ends
}

// toEach calls visit once per node that is a destination, with the distances to it and the
// demands that go there. Distances are known for the sources and for all nodes nearer than the
// farthest of them; for others they may be -1.
func toEach(ctx context.Context, g *topology.Graph, demands []Demand, visit func(dist []int32, demands []int)) error {
	start, list := byNode(g.Nodes(), demands, func(d Demand) int { return d.Dst })
	to := distancesTo(g, demands)
	for dst := range g.Nodes() {
		here := list[start[dst]:start[dst+1]]
		if len(here) == 0 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		dist := to(dst, here)
		for _, i := range here {
			if dist[demands[i].Src] < 0 {
				return unreachable(demands[i])
			}
		}
		visit(dist, here)
	}
	return nil
}

// manySearches is the number of demands from which looking for a symmetry is worth it.
const manySearches = 64

// distancesTo returns a function that computes the distances to a node from the sources of the
// demands that go there. A result is valid until the next call; for nodes that are farther it
// may have -1. On a graph that looks the same from every node one search serves all nodes, because
// distances to the others are those to the first, moved.
func distancesTo(g *topology.Graph, demands []Demand) func(dst int, here []int) []int32 {
	d := search.NewDistances(g)
	if _, ok := g.Jumps(); !ok {
		if len(demands) >= manySearches {
			d.Search(0)
			if t := search.NewTurned(g, slices.Clone(d.Hops)); t != nil {
				return func(dst int, _ []int) []int32 { return t.To(dst) }
			}
		}
		wanted := make([]bool, g.Nodes())
		return func(dst int, here []int) []int32 {
			searchFrom(d, dst, demands, here, wanted)
			return d.Hops
		}
	}
	d.Search(0)
	n := len(d.Hops)
	twice := append(d.Hops, d.Hops...)
	return func(dst int, _ []int) []int32 { return twice[n-dst : 2*n-dst] }
}

// shortestRoutes sends every demand over one shortest path. Ties go clockwise: among the next
// hops v of u on a shortest path, it takes the one with the smallest (v - u) mod n. On a ring
// this is the usual rule that a demand to the opposite node goes upwards. It takes one
// breadth-first search per destination and O(degree) per hop of the routes.
//
// With a group the rule holds for the representatives. If (v - u) mod n is not invariant under
// the group (it is under rotations), their images may break ties the other way.
func shortestRoutes(ctx context.Context, g *topology.Graph, demands []Demand) ([][]Route, error) {
	return shortestTurning(ctx, g, demands, true)
}

// shortestTurning is shortestRoutes with ties that go clockwise or the other way.
func shortestTurning(ctx context.Context, g *topology.Graph, demands []Demand, clockwise bool) ([][]Route, error) {
	routes := make([][]Route, len(demands))
	n := g.Nodes()
	var memory routeMemory
	err := toEach(ctx, g, demands, func(dist []int32, here []int) {
		for _, i := range here {
			u := demands[i].Src
			path := memory.path(int(dist[u]) + 1)
			path[0] = int32(u)
			for h := 1; dist[u] > 0; h++ {
				to, _ := g.Row(u)
				best, gap := -1, n
				for _, v := range to {
					if dist[v] != dist[u]-1 {
						continue
					}
					turn := residue(int(v)-u, n)
					if !clockwise {
						turn = n - turn
					}
					if turn < gap {
						best, gap = int(v), turn
					}
				}
				u = best
				path[h] = int32(u)
			}
			routes[i] = memory.list(1)
			routes[i][0] = Route{Path: path, Share: 1}
		}
	})
	return routes, err
}
