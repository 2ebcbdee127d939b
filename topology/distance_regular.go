package topology

import (
	"math/bits"
	"slices"

	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/topology/classic"
	"github.com/lightpath-net/lightpath/topology/finite"
)

// distanceRegularGraph is an entry of the table behind DistReg(NAME).
type distanceRegularGraph struct {
	name          string
	nodes, degree int
	build         func() *Graph
}

// distanceRegularGraphs holds the fifteen graphs of degree 4 of Zhao et al., Table 7, in its
// order, the graphs of degree 3 from which some of them are made, and other graphs of any
// degree that belong to no family. A graph is distance-regular if the number of nodes at
// distance i from x and at distance j from y depends only on i, j and the distance between x
// and y; by Theorem 18 and appendix E.3 its breadth-first broadcast is then bandwidth-optimal.
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
	{"Pappus", 18, 3, func() *Graph { return ofLists(classic.Pappus()) }},
	{"Desargues", 20, 3, func() *Graph { return doubledOddGraph(3) }},
	{"Dodecahedron", 20, 3, func() *Graph { return ofLists(classic.Dodecahedron()) }},
	{"Coxeter", 28, 3, func() *Graph { return ofLists(classic.Coxeter()) }},
	{"Foster", 90, 3, func() *Graph { return ofLists(classic.Foster()) }},
	{"BiggsSmith", 102, 3, func() *Graph { return ofLists(classic.BiggsSmith()) }},
	{"Icosahedron", 12, 5, func() *Graph { return ofLists(classic.Icosahedron()) }},
	{"Sylvester", 36, 5, func() *Graph { return ofLists(classic.Sylvester()) }},
	{"Shrikhande", 16, 6, func() *Graph { return ofLists(classic.Shrikhande()) }},
	{"Perkel", 57, 6, func() *Graph { return ofLists(classic.Perkel()) }},
	{"Klein", 24, 7, func() *Graph { return ofLists(classic.Klein()) }},
	{"HoffmanSingleton", 50, 7, func() *Graph { return ofLists(classic.HoffmanSingleton()) }},
	{"Gewirtz", 56, 10, func() *Graph { return ofLists(classic.Gewirtz()) }},
	{"M22", 77, 16, func() *Graph { return ofLists(classic.M22()) }},
	{"HigmanSims", 100, 22, func() *Graph { return ofLists(classic.HigmanSims()) }},
}

// publishedGraphs is the number of graphs in the table that Zhao et al. use. They come first.
const publishedGraphs = 19

// ofLists makes a graph of lists of neighbours.
func ofLists(g classic.Graph) *Graph {
	return fromRows("", len(g), len(g[0]), func(u int, out []int32) []int32 {
		for _, v := range g[u] {
			out = append(out, int32(v))
		}
		return out
	})
}

// DistanceRegularNames lists the names that DistReg(NAME) knows: the graphs of Zhao et al.,
// Table 7, in its order; then Petersen, Heawood, and Tutte's 8- and 12-cage, of degree 3; and
// then those of package classic, by degree. Heawood3 joins the nodes at distance 3 in the
// Heawood graph; Line.. are line graphs in the undirected sense; PG23, GQ33 and GH33 are
// incidence graphs of PG(2,3) and of generalized polygons, AG24 that of AG(2,4) without a class
// of parallel lines.
func DistanceRegularNames() []string {
	return each.Of(distanceRegularGraphs, func(g distanceRegularGraph) string { return g.name })
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
	at := make([][]int32, g.Nodes()) // circuits that end in a node
	for e := range g.Edges() {
		if e.From < e.To {
			c := int32(len(ends))
			at[e.From], at[e.To] = append(at[e.From], c), append(at[e.To], c)
			ends = append(ends, [2]int{e.From, e.To})
		}
	}
	return fromRows("", len(ends), 2*g.Degree()-2, func(c int, out []int32) []int32 {
		for _, u := range ends[c] {
			for _, other := range at[u] {
				if int(other) != c {
					out = append(out, other)
				}
			}
		}
		return out
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

// The families of distance-regular graphs beyond the table. Searches try them only with numbers
// for which they are not a graph of the table or of another family.

// mostOfOrder bounds the orders of generalized polygons: building one takes the square of its
// points.
var mostOfOrder = map[int]int{3: 49, 4: 13, 6: 5}

// polygonPoints is the number of points of a generalized g-gon of order q, and of its lines.
func polygonPoints(g, q int) int64 {
	return each.SumBelow(g, func(i int) int64 { return power(int64(q), int64(i)) })
}

// polygon checks the numbers of a family of generalized polygons and returns its size.
func polygon(of func(points, q int64) size) func([]int, []size) (size, *fault) {
	return func(x []int, _ []size) (size, *fault) {
		g, q := x[0], x[1]
		most, ok := mostOfOrder[g]
		switch {
		case !ok:
			return size{}, wrong(0, "g must be 3, 4 or 6, not %d", g)
		case !finite.Exists(q) || q > most:
			return size{}, wrong(1, "q must be a power of a prime and at most %d, not %d", most, q)
		}
		return of(polygonPoints(g, q), int64(q)), nil
	}
}

// polygonMembers lists the polygons with n nodes and degree d whose order is at least least.
func polygonMembers(of func(points, q int64) size, least int) func(n, d int) [][]int {
	return func(n, d int) (list [][]int) {
		for _, g := range []int{3, 4, 6} {
			for q := least; q <= mostOfOrder[g]; q++ {
				if s := of(polygonPoints(g, q), int64(q)); s.nodes == int64(n) && s.degree == int64(d) && finite.Exists(q) {
					list = append(list, []int{g, q})
				}
			}
		}
		return list
	}
}

// incidenceSize, flagsSize and collinearSize return the sizes of Polygon, Flags and Collinear.
func incidenceSize(points, q int64) size { return size{nodes: 2 * points, degree: q + 1} }
func flagsSize(points, q int64) size     { return size{nodes: (q + 1) * points, degree: 2 * q} }
func collinearSize(points, q int64) size { return size{nodes: points, degree: q * (q + 1)} }

// incidence is the incidence graph of a generalized polygon.
func incidence(x []int) *Graph {
	switch x[0] {
	case 3:
		return projectivePlane(x[1])
	case 4:
		return generalizedQuadrangle(x[1])
	}
	return generalizedHexagon(x[1])
}

// collinear joins the points of a generalized polygon that are on a common line.
func collinear(x []int) *Graph {
	g := incidence(x)
	return distanceGraph(g, 2).keepFirst(g.Nodes() / 2)
}

// keepFirst is the graph on the first n nodes, which no circuit leaves.
func (g *Graph) keepFirst(n int) *Graph {
	last := g.start[n]
	return &Graph{start: g.start[:n+1], to: g.to[:last], count: g.count[:last]}
}

// fieldSize checks the order of a field, q, from a least one to a greatest.
func fieldSize(least, most int, of func(q int64) size) func([]int, []size) (size, *fault) {
	return func(x []int, _ []size) (size, *fault) {
		if q := x[0]; q < least || q > most || !finite.Exists(q) {
			return size{}, wrong(0, "q must be a power of a prime from %d to %d, not %d", least, most, q)
		}
		return of(int64(x[0])), nil
	}
}

// mostPaley bounds the order of Paley graphs, which are built from the tables of a field.
const mostPaley = 1 << 10

// paley joins u to v if v-u is a square in the field of q elements. The graph is two-way if -1
// is a square.
func paley(name string, q int) *Graph {
	f := finite.NewField(q)
	square := make([]bool, q)
	for a := 1; a < q; a++ {
		square[f.Times[a][a]] = true
	}
	return fromRows(name, q, q/2, func(u int, out []int32) []int32 {
		for a, ok := range square {
			if ok {
				out = append(out, int32(f.Plus[u][a]))
			}
		}
		return out
	})
}

func paleyMembers(n, d int) [][]int {
	if n != 2*d+1 || n < 11 || n > mostPaley || !finite.Exists(n) {
		return nil
	}
	return [][]int{{n}}
}

func biaffineMembers(n, d int) [][]int {
	if n != 2*d*d || d < 3 || d == 4 || d > mostOfOrder[3] || !finite.Exists(d) {
		return nil
	}
	return [][]int{{d}}
}

// mostOfSet bounds the sets whose subsets are nodes.
const mostOfSet = 17

// choose returns the number of sets of k out of n.
func choose(n, k int64) int64 {
	product := int64(1)
	for i := int64(1); i <= k; i++ {
		product = product * (n - k + i) / i
	}
	return product
}

// oddSize checks the number of Odd(k) and DoubledOdd(k) and returns their size.
func oddSize(copies int64) func([]int, []size) (size, *fault) {
	return func(x []int, _ []size) (size, *fault) {
		k := int64(x[0])
		if k < 2 || 2*k-1 > mostOfSet {
			return size{}, wrong(0, "k must be from 2 to %d, not %d", (mostOfSet+1)/2, k)
		}
		return size{nodes: copies * choose(2*k-1, k-1), degree: k}, nil
	}
}

func oddMembers(copies int64, least int) func(n, d int) [][]int {
	return func(n, d int) [][]int {
		if d < least || 2*d-1 > mostOfSet || int64(n) != copies*choose(int64(2*d-1), int64(d-1)) {
			return nil
		}
		return [][]int{{d}}
	}
}

func johnsonSize(x []int, _ []size) (size, *fault) {
	n, k := x[0], x[1]
	switch {
	case n < 2 || n > mostOfSet:
		return size{}, wrong(0, "n must be from 2 to %d, not %d", mostOfSet, n)
	case k < 1 || 2*k > n:
		return size{}, wrong(1, "k must be from 1 to n/2, not %d with n = %d", k, n)
	}
	return size{nodes: choose(int64(n), int64(k)), degree: int64(k * (n - k))}, nil
}

// johnson is J(n,k): the sets of k out of n, joined when they have all but one in common.
func johnson(name string, n, k int) *Graph {
	sets := subsets(n, k)
	return joinedPairs(len(sets), func(i, j int) bool { return bits.OnesCount(sets[i]&sets[j]) == k-1 }).Named(name)
}

func johnsonMembers(n, d int) (list [][]int) {
	for k := 2; 2*k <= mostOfSet; k++ {
		if m := d/k + k; d%k == 0 && 2*k <= m && m > 4 && m <= mostOfSet && choose(int64(m), int64(k)) == int64(n) {
			list = append(list, []int{m, k})
		}
	}
	return list
}

// cubeSize returns the size of folded and halved cubes of m dimensions.
func cubeSize(degree func(m int64) int64) func([]int, []size) (size, *fault) {
	return func(x []int, _ []size) (size, *fault) {
		return plain(x, "m", []int{3}, func() size {
			return size{nodes: power(2, int64(x[0])-1), degree: degree(int64(x[0]))}
		})
	}
}

func foldedDegree(m int64) int64 { return m }
func halvedDegree(m int64) int64 { return m * (m - 1) / 2 }

// mostDimensions bounds the dimensions of the cubes that searches try.
const mostDimensions = 20

func cubeMembers(degree func(m int64) int64) func(n, d int) [][]int {
	return func(n, d int) [][]int {
		for m := 5; m <= mostDimensions; m++ {
			if n == 1<<(m-1) && int64(d) == degree(int64(m)) {
				return [][]int{{m}}
			}
		}
		return nil
	}
}

// foldedCube is a cube of m-1 dimensions in which opposite nodes are joined too: it is the cube
// of m dimensions with opposite nodes merged.
func foldedCube(name string, m int) *Graph {
	last := 1<<(m-1) - 1
	return fromRows(name, last+1, m, func(u int, out []int32) []int32 {
		for bit := range m - 1 {
			out = append(out, int32(u^1<<bit))
		}
		return append(out, int32(u^last))
	})
}

// halvedCube has every second node of the cube of m dimensions, joined at distance 2: the nodes of
// the cube of m-1 dimensions, joined at distances 1 and 2.
func halvedCube(name string, m int) *Graph {
	return fromRows(name, 1<<(m-1), m*(m-1)/2, func(u int, out []int32) []int32 {
		for i := range m - 1 {
			out = append(out, int32(u^1<<i))
			for j := range i {
				out = append(out, int32(u^1<<i^1<<j))
			}
		}
		return out
	})
}

// multipartite joins the nodes of m parts of t each to all nodes outside their part: u and v
// are in the same part if they differ by a multiple of m.
func multipartite(name string, m, t int) *Graph {
	var jumps []int
	for a := 1; a < m*t; a++ {
		if a%m != 0 {
			jumps = append(jumps, a)
		}
	}
	return circulant(name, m*t, jumps)
}

func multipartiteMembers(n, d int) [][]int {
	t := n - d
	if t < 2 || n%t != 0 || n/t < 3 || n == 6 {
		return nil
	}
	return [][]int{{n / t, t}}
}

func crownMembers(n, d int) [][]int {
	if n != 2*d+2 || d < 5 {
		return nil
	}
	return [][]int{{d + 1}}
}
