package topology

import (
	"fmt"
	"iter"
	"slices"

	"github.com/lightpath-net/lightpath/internal/each"
)

// Edge is a bundle of Count parallel circuits from From to To.
type Edge struct {
	From, To, Count int
}

// Graph is an immutable directed multigraph in compressed sparse rows.
//
// Invariant: within a row the targets ascend strictly and every count is >= 1.
type Graph struct {
	name  string
	start []int32 // row u is [start[u], start[u+1])
	to    []int32
	count []int32
}

// New builds a graph on n nodes. Edges with the same ends are merged, their
// counts added; an edge with Count 0 is dropped. It panics on a node outside
// 0..n-1 or a negative count: callers validate what comes from outside. The time
// is O(n + edges).
func New(n int, name string, edges []Edge) *Graph {
	for _, e := range edges {
		if e.From < 0 || e.From >= n || e.To < 0 || e.To >= n || e.Count < 0 {
			panic(fmt.Sprintf("topology: edge %v outside a graph of %d nodes", e, n))
		}
	}
	// Two counting sorts, by target and then by source, order the edges by both.
	byTo := make([]int32, n+1)
	start := make([]int32, n+1)
	for _, e := range edges {
		byTo[e.To+1]++
		start[e.From+1]++
	}
	for u := range n {
		byTo[u+1] += byTo[u]
		start[u+1] += start[u]
	}
	order := make([]int32, len(edges))
	for i, e := range edges {
		order[byTo[e.To]] = int32(i)
		byTo[e.To]++
	}
	g := &Graph{name: name, start: start, to: make([]int32, len(edges)), count: make([]int32, len(edges))}
	next := byTo
	copy(next, start)
	for _, i := range order {
		e := edges[i]
		g.to[next[e.From]], g.count[next[e.From]] = int32(e.To), int32(e.Count)
		next[e.From]++
	}
	g.merge()
	return g
}

// merge adds up neighbouring bundles with the same ends and drops empty ones.
func (g *Graph) merge() {
	kept, from := int32(0), int32(0)
	for u := range g.Nodes() {
		row, end := kept, g.start[u+1]
		for i := from; i < end; i++ {
			switch {
			case g.count[i] == 0:
			case kept > row && g.to[kept-1] == g.to[i]:
				g.count[kept-1] += g.count[i]
			default:
				g.to[kept], g.count[kept] = g.to[i], g.count[i]
				kept++
			}
		}
		from, g.start[u+1] = end, kept
	}
	g.to, g.count = g.to[:kept], g.count[:kept]
}

// Name is the expression that builds the graph, or a label for one that no
// expression describes.
func (g *Graph) Name() string { return g.name }

// Named returns the same graph under another name; the circuits are shared.
func (g *Graph) Named(name string) *Graph {
	named := *g
	named.name = name
	return &named
}

// Nodes returns the number of nodes.
func (g *Graph) Nodes() int { return len(g.start) - 1 }

// Bundles returns the number of distinct (from, to) pairs with a circuit.
func (g *Graph) Bundles() int { return len(g.to) }

// Circuits returns the number of circuits, parallel ones counted.
func (g *Graph) Circuits() int {
	return each.Sum(g.count, func(c int32) int { return int(c) })
}

// Row returns the targets of u, ascending, and how many circuits lead to each.
// The slices belong to the graph.
func (g *Graph) Row(u int) (to, count []int32) {
	a, b := g.start[u], g.start[u+1]
	return g.to[a:b], g.count[a:b]
}

// RowStart returns the index of u's first bundle in the order of Edges, so that
// bundle i of Row(u) has index RowStart(u)+i. RowStart(Nodes()) is Bundles().
func (g *Graph) RowStart(u int) int { return int(g.start[u]) }

// Edges yields the bundles in ascending order of (From, To).
func (g *Graph) Edges() iter.Seq[Edge] {
	return func(yield func(Edge) bool) {
		for u := range g.Nodes() {
			to, count := g.Row(u)
			for i, v := range to {
				if !yield(Edge{u, int(v), int(count[i])}) {
					return
				}
			}
		}
	}
}

// Find returns the index of the bundle (u, v) in the order of Edges, or -1.
func (g *Graph) Find(u, v int) int {
	to, _ := g.Row(u)
	if len(to) <= fewTargets {
		for i, w := range to {
			if int(w) == v {
				return int(g.start[u]) + i
			}
		}
		return -1
	}
	// At most v targets come before v, and at most n-1-v after it. So in a row that leads to
	// almost all nodes, few places are left.
	low := max(0, v-(g.Nodes()-len(to)))
	i, ok := slices.BinarySearch(to[low:max(low, min(len(to), v+1))], int32(v))
	if !ok {
		return -1
	}
	return int(g.start[u]) + low + i
}

// fewTargets is the largest number of targets of a node that Find looks through one by one.
const fewTargets = 8

// Count returns the number of circuits from u to v.
func (g *Graph) Count(u, v int) int {
	i := g.Find(u, v)
	if i < 0 {
		return 0
	}
	return int(g.count[i])
}

// OutDegree returns the circuits that leave u, self-loops included.
func (g *Graph) OutDegree(u int) int {
	_, count := g.Row(u)
	return each.Sum(count, func(c int32) int { return int(c) })
}

// InDegrees returns, for every node, the circuits that enter it.
func (g *Graph) InDegrees() []int {
	in := make([]int, g.Nodes())
	for i, v := range g.to {
		in[v] += int(g.count[i])
	}
	return in
}

// Degree returns the largest number of circuits that leave or enter a node: the
// ports that the graph needs.
func (g *Graph) Degree() int {
	most := each.Max(0, g.InDegrees(), func(d int) int { return d })
	for u := range g.Nodes() {
		most = max(most, g.OutDegree(u))
	}
	return most
}

// Equal reports whether both graphs hold the same circuits, whatever their names.
func (g *Graph) Equal(h *Graph) bool {
	return slices.Equal(g.start, h.start) && slices.Equal(g.to, h.to) && slices.Equal(g.count, h.count)
}

// Renumber returns the circuits of a graph among a number of nodes: node u becomes to[u].
func (g *Graph) Renumber(name string, nodes int, to []int) *Graph {
	edges := make([]Edge, 0, g.Bundles())
	for e := range g.Edges() {
		edges = append(edges, Edge{From: to[e.From], To: to[e.To], Count: e.Count})
	}
	return New(nodes, name, edges)
}

// Transpose returns the graph with every circuit turned round, in time linear in
// nodes and bundles.
func (g *Graph) Transpose(name string) *Graph {
	n := g.Nodes()
	t := &Graph{
		name:  name,
		start: make([]int32, n+1),
		to:    make([]int32, len(g.to)),
		count: make([]int32, len(g.to)),
	}
	for _, v := range g.to {
		t.start[v+1]++
	}
	for u := range n {
		t.start[u+1] += t.start[u]
	}
	// Sources ascend, so every row of the transpose fills in ascending order.
	next := slices.Clone(t.start[:n])
	for u := range n {
		to, count := g.Row(u)
		for i, v := range to {
			t.to[next[v]], t.count[next[v]] = int32(u), count[i]
			next[v]++
		}
	}
	return t
}

// Bidirectional reports whether every circuit has a partner the other way.
func (g *Graph) Bidirectional() bool { return g.Equal(g.Transpose("")) }

// Union returns the graph that has the circuits of all the given ones, which
// must have the same number of nodes.
func Union(name string, graphs ...*Graph) *Graph {
	var edges []Edge
	for _, g := range graphs {
		edges = slices.AppendSeq(edges, g.Edges())
	}
	return New(graphs[0].Nodes(), name, edges)
}
