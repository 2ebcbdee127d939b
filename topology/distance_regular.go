package topology

import (
	"math/bits"
	"slices"
)

// distanceRegularGraph is an entry of the table behind DistReg(NAME).
type distanceRegularGraph struct {
	name          string
	nodes, degree int
	build         func() *Graph
}

// distanceRegularGraphs holds the fifteen graphs of degree 4 of Zhao et al., Table 7,
// in its order, and the graphs of degree 3 from which some of them are made. A graph
// is distance-regular if the number of nodes at distance i from x and at distance j
// from y depends only on i, j and the distance between x and y; by Theorem 18 and
// appendix E.3 its breadth-first broadcast is then bandwidth-optimal.
var distanceRegularGraphs = []distanceRegularGraph{
	{"Octahedron", 6, 4, func() *Graph { return circulant("", 6, twoWay(6, []int{1, 2})) }},
	{"Paley9", 9, 4, func() *Graph { return hamming("", 2, 3) }},
	{"K55minusI", 10, 4, func() *Graph { return crown(5) }},
	{"Heawood3", 14, 4, func() *Graph { return distanceGraph(projectivePlane(2), 3) }},
	{"LinePetersen", 15, 4, func() *Graph { return edgeGraph(oddGraph(3)) }},
	{"Q4", 16, 4, func() *Graph { return hypercube("", 4) }},
	{"LineHeawood", 21, 4, func() *Graph { return edgeGraph(projectivePlane(2)) }},
	{"PG23", 26, 4, func() *Graph { return projectivePlane(3) }},
	{"AG24", 32, 4, func() *Graph { return affinePlane(4) }},
	{"O4", 35, 4, func() *Graph { return oddGraph(4) }},
	{"LineTutte8", 45, 4, func() *Graph { return edgeGraph(generalizedQuadrangle(2)) }},
	{"DoubledO4", 70, 4, func() *Graph { return doubledOddGraph(4) }},
	{"GQ33", 80, 4, func() *Graph { return generalizedQuadrangle(3) }},
	{"LineTutte12", 189, 4, func() *Graph { return edgeGraph(generalizedHexagon(2)) }},
	{"GH33", 728, 4, func() *Graph { return generalizedHexagon(3) }},
	{"Petersen", 10, 3, func() *Graph { return oddGraph(3) }},
	{"Heawood", 14, 3, func() *Graph { return projectivePlane(2) }},
	{"Tutte8", 30, 3, func() *Graph { return generalizedQuadrangle(2) }},
	{"Tutte12", 126, 3, func() *Graph { return generalizedHexagon(2) }},
}

// DistanceRegularNames lists the names that DistReg(NAME) knows: those of the graphs
// of Zhao et al., Table 7, in its order, then Petersen, Heawood, and Tutte's 8- and
// 12-cage, of degree 3. Heawood3 joins the nodes at distance 3 in the Heawood graph;
// Line.. are line graphs in the undirected sense; PG23, GQ33 and GH33 are incidence
// graphs of PG(2,3) and of generalized polygons, AG24 that of AG(2,4) without a class
// of parallel lines.
func DistanceRegularNames() []string {
	names := make([]string, len(distanceRegularGraphs))
	for i, g := range distanceRegularGraphs {
		names[i] = g.name
	}
	return names
}

func distanceRegularIndex(name string) int {
	return slices.IndexFunc(distanceRegularGraphs, func(g distanceRegularGraph) bool { return g.name == name })
}

// crown is K(m,m) without a perfect matching.
func crown(m int) *Graph {
	return fromRows("", 2*m, m-1, func(u int, out []int32) []int32 {
		other := (u/m + 1) % 2 * m
		for v := range m {
			if v != u%m {
				out = append(out, int32(other+v))
			}
		}
		return out
	})
}

// subsets lists the sets of k out of the numbers below n, as bits, ascending.
func subsets(n, k int) []uint {
	var sets []uint
	for set := range uint(1) << n {
		if bits.OnesCount(set) == k {
			sets = append(sets, set)
		}
	}
	return sets
}

// oddGraph is O_k: the sets of k-1 out of 2k-1, joined when they are disjoint.
func oddGraph(k int) *Graph {
	sets := subsets(2*k-1, k-1)
	return joinedPairs(len(sets), func(i, j int) bool { return sets[i]&sets[j] == 0 })
}

// doubledOddGraph is D(O_k): the sets of k-1 and those of k out of 2k-1, joined when
// one holds the other.
func doubledOddGraph(k int) *Graph {
	sets := append(subsets(2*k-1, k-1), subsets(2*k-1, k)...)
	return joinedPairs(len(sets), func(i, j int) bool {
		return i != j && (sets[i]|sets[j] == sets[i] || sets[i]|sets[j] == sets[j])
	})
}

// distanceGraph joins the nodes of g that are at the given distance.
func distanceGraph(g *Graph, distance int) *Graph {
	n := g.Nodes()
	dist, queue := make([]int32, n), make([]int32, 0, n)
	return fromRows("", n, n, func(u int, out []int32) []int32 {
		g.Distances(u, dist, queue)
		for v, d := range dist {
			if int(d) == distance {
				out = append(out, int32(v))
			}
		}
		return out
	})
}

// edgeGraph is the line graph in the undirected sense: a node for every two-way
// circuit, joined when they share an end. Line(G,k) is the directed one.
func edgeGraph(g *Graph) *Graph {
	var ends [][2]int
	for e := range g.Edges() {
		if e.From < e.To {
			ends = append(ends, [2]int{e.From, e.To})
		}
	}
	return joinedPairs(len(ends), func(i, j int) bool {
		return i != j && (slices.Contains(ends[j][:], ends[i][0]) || slices.Contains(ends[j][:], ends[i][1]))
	})
}

// joinedPairs builds the graph with a circuit wherever joined holds.
func joinedPairs(n int, joined func(i, j int) bool) *Graph {
	return fromRows("", n, n, func(u int, out []int32) []int32 {
		for v := range n {
			if joined(u, v) {
				out = append(out, int32(v))
			}
		}
		return out
	})
}
