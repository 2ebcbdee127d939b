package topology

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/internal/each"
)

// LineGraph returns Line(g,k), the k-th line graph: a node for every circuit of g,
// numbered in the order of Edges with parallel circuits side by side, and a circuit
// from (u, v) to every (v, w). A d-regular graph of N nodes becomes a d-regular one
// of d^k N. (Zhao et al., Efficient Direct-Connect Topologies, Def. 1.) It panics
// when k < 1 or the result passes MaxNodes or MaxCircuits.
func LineGraph(g *Graph, k int) *Graph {
	if k < 1 {
		panic("topology: a line graph is taken at least once")
	}
	return line(fmt.Sprintf("Line(%s,%d)", g.name, k), g, k)
}

func line(name string, g *Graph, k int) *Graph {
	for range k {
		next := lineOnce(g)
		if next.Equal(g) {
			// A permutation is its own line graph, however often it is taken.
			break
		}
		g = next
	}
	return g.Named(name)
}

func lineOnce(g *Graph) *Graph {
	n := g.Nodes()
	first := make([]int, n+1) // first circuit that leaves u
	for u := range n {
		first[u+1] = first[u] + g.OutDegree(u)
	}
	circuits := 0
	for i, v := range g.to {
		circuits += int(g.count[i]) * (first[v+1] - first[v])
	}
	mustFit(first[n], circuits)
	l := &Graph{
		start: make([]int32, 1, first[n]+1),
		to:    make([]int32, 0, circuits),
		count: make([]int32, 0, circuits),
	}
	for i, v := range g.to {
		for range g.count[i] {
			for w := first[v]; w < first[v+1]; w++ {
				l.to = append(l.to, int32(w))
				l.count = append(l.count, 1)
			}
			l.start = append(l.start, int32(len(l.to)))
		}
	}
	return l
}

// DegreeExpansion returns Degree(g,k): k copies of every node, copy i of v being
// node i*N+v, and a circuit from every copy of u to every copy of v for each circuit
// (u, v). A d-regular graph of N nodes becomes a kd-regular one of kN; rotations of
// g remain rotations. (Zhao et al., Def. 3.) It panics when k < 1, when g has a
// self-loop, or when the result passes MaxNodes or MaxCircuits.
func DegreeExpansion(g *Graph, k int) *Graph {
	if k < 1 {
		panic("topology: degree expansion takes at least one copy")
	}
	for u := range g.Nodes() {
		if g.Find(u, u) >= 0 {
			panic(fmt.Sprintf("topology: degree expansion of %s, which has a self-loop at %d", g.name, u))
		}
	}
	mustFit(k, 0) // so that the products below cannot overflow
	mustFit(k*g.Nodes(), k*k*g.Circuits())
	return degree(fmt.Sprintf("Degree(%s,%d)", g.name, k), g, k)
}

func degree(name string, g *Graph, k int) *Graph {
	n := g.Nodes()
	e := &Graph{
		name:  name,
		start: make([]int32, 1, k*n+1),
		to:    make([]int32, 0, k*k*g.Bundles()),
		count: make([]int32, 0, k*k*g.Bundles()),
	}
	for range k {
		for u := range n {
			to, count := g.Row(u)
			for j := range k {
				for _, v := range to {
					e.to = append(e.to, int32(j*n)+v)
				}
				e.count = append(e.count, count...)
			}
			e.start = append(e.start, int32(len(e.to)))
		}
	}
	return e
}

// CartesianProduct returns Product(g,h,..): nodes are tuples, numbered row-major
// with the last factor fastest, and a circuit moves along one factor. (Zhao et al.,
// Def. 5.) It panics without factors or when the result passes MaxNodes or
// MaxCircuits.
func CartesianProduct(factors ...*Graph) *Graph {
	names := each.Of(factors, func(g *Graph) string { return g.name })
	return product("Product("+strings.Join(names, ",")+")", factors)
}

// CartesianPower returns Power(g,k), the product of k copies of g. It panics when
// k < 1 or the result passes MaxNodes or MaxCircuits.
func CartesianPower(g *Graph, k int) *Graph {
	mustFit(k, 0)
	return product(fmt.Sprintf("Power(%s,%d)", g.name, k), slices.Repeat([]*Graph{g}, k))
}

func product(name string, factors []*Graph) *Graph {
	if len(factors) == 0 {
		panic("topology: a product needs a factor")
	}
	nodes, circuits := 1, 0
	for _, g := range factors {
		nodes, circuits = nodes*g.Nodes(), circuits*g.Nodes()+g.Circuits()*nodes
		mustFit(nodes, circuits)
	}
	g := factors[0]
	for _, h := range factors[1:] {
		g = productOfTwo(g, h)
	}
	return g.Named(name)
}

func productOfTwo(g, h *Graph) *Graph {
	n, m := g.Nodes(), h.Nodes()
	p := &Graph{
		start: make([]int32, 1, n*m+1),
		to:    make([]int32, 0, g.Bundles()*m+h.Bundles()*n),
		count: make([]int32, 0, g.Bundles()*m+h.Bundles()*n),
	}
	for u := range n {
		outer, outerCount := g.Row(u)
		// The targets that move along g and come before u's block, those inside the
		// block, and those after it are the row in ascending order. A self-loop of g
		// stays at (u, x), inside the block, where one of h may meet it.
		at, loop := slices.BinarySearch(outer, int32(u))
		after, loops := at, int32(0)
		if loop {
			after, loops = at+1, outerCount[at]
		}
		for x := range m {
			for i, v := range outer[:at] {
				p.add(v*int32(m)+int32(x), outerCount[i])
			}
			inner, innerCount := h.Row(x)
			pending := loops
			for i, y := range inner {
				c := innerCount[i]
				if pending > 0 && int(y) >= x {
					if int(y) == x {
						c += pending
					} else {
						p.add(int32(u*m+x), pending)
					}
					pending = 0
				}
				p.add(int32(u*m)+y, c)
			}
			if pending > 0 {
				p.add(int32(u*m+x), pending)
			}
			for i, v := range outer[after:] {
				p.add(v*int32(m)+int32(x), outerCount[after+i])
			}
			p.start = append(p.start, int32(len(p.to)))
		}
	}
	return p
}

// add appends a bundle to the row under construction.
func (g *Graph) add(to, count int32) {
	g.to = append(g.to, to)
	g.count = append(g.count, count)
}

// Bidirect returns Bidirect(g): the circuits of g and those of its transpose, so
// that a d-regular graph becomes a 2d-regular two-way one. Circuits that already
// have a partner are doubled, which keeps the two halves disjoint. (Zhao et al.,
// appendix F.)
func Bidirect(g *Graph) *Graph { return Union("Bidirect("+g.name+")", g, g.Transpose("")) }

func mustFit(nodes, circuits int) {
	if nodes > MaxNodes || circuits > MaxCircuits {
		panic(fmt.Sprintf("topology: %d nodes with %d circuits pass the limits of %d and %d",
			nodes, circuits, MaxNodes, MaxCircuits))
	}
}

// operators are the rules that make topologies from others.
var operators = []rule{
	// Zhao et al., Def. 2 and Theorem 1, expand regular graphs. For other graphs, the number of
	// nodes of the line graph does not follow from their nodes and degree.
	{name: "Line", form: countForm, usage: "Line(G,k)", least: 1, most: 1,
		size: func(x []int, g []size) (size, *fault) {
			if g[0].irregular {
				return size{}, wrong(-1, "line expansion needs a graph in which all nodes have the same degree")
			}
			return plain(x, "k", []int{1}, func() size {
				return size{nodes: times(g[0].nodes, power(g[0].degree, int64(x[0]))), degree: g[0].degree, loops: g[0].loops}
			})
		},
		build: func(name string, x []int, g []*Graph) *Graph { return line(name, g[0], x[0]) },
	},

	{name: "Degree", form: countForm, usage: "Degree(G,k)", least: 1, most: 1,
		size: func(x []int, g []size) (size, *fault) {
			if g[0].loops {
				return size{}, wrong(-1, "degree expansion needs a graph without self-loops")
			}
			return plain(x, "k", []int{1}, func() size {
				k := int64(x[0])
				return size{nodes: times(g[0].nodes, k), degree: times(g[0].degree, k), irregular: g[0].irregular}
			})
		},
		build:  func(name string, x []int, g []*Graph) *Graph { return degree(name, g[0], x[0]) },
		traits: Traits{Transitive: true},
	},

	{name: "Power", form: countForm, usage: "Power(G,k)", least: 1, most: 1,
		size: func(x []int, g []size) (size, *fault) {
			return plain(x, "k", []int{1}, func() size {
				k := int64(x[0])
				return size{power(g[0].nodes, k), times(g[0].degree, k), g[0].loops, g[0].irregular}
			})
		},
		build: func(name string, x []int, g []*Graph) *Graph {
			return CartesianPower(g[0], x[0]).Named(name)
		},
		traits: Traits{Transitive: true},
	},

	{name: "Product", form: graphsForm, usage: "Product(G,H,..)", least: 2,
		size: func(_ []int, g []size) (size, *fault) {
			all := size{nodes: 1}
			for _, s := range g {
				all = size{times(all.nodes, s.nodes), all.degree + s.degree, all.loops || s.loops, all.irregular || s.irregular}
			}
			return all, nil
		},
		build:  func(name string, _ []int, g []*Graph) *Graph { return product(name, g) },
		traits: Traits{Transitive: true},
	},

	{name: "Union", form: graphsForm, usage: "Union(G,H,..)", least: 2,
		size:  unionSize,
		build: func(name string, _ []int, g []*Graph) *Graph { return Union(name, g...) },
	},

	{name: "Idle", form: countForm, usage: "Idle(G,k)", least: 1, most: 1,
		size: func(x []int, g []size) (size, *fault) {
			return plain(x, "k", []int{1}, func() size {
				return size{nodes: g[0].nodes, degree: g[0].degree + int64(x[0]), loops: true, irregular: g[0].irregular}
			})
		},
		build:  func(name string, x []int, g []*Graph) *Graph { return WithIdlePorts(g[0], x[0]).Named(name) },
		traits: Traits{Transitive: true},
	},

	{name: "Insert", form: countForm, usage: "Insert(G,c,..)", least: 1,
		size:  insertSize,
		build: func(name string, x []int, g []*Graph) *Graph { return insert(name, g[0], x) },
	},

	{name: "Remove", form: countForm, usage: "Remove(G,v,r)", least: 2, most: 2,
		size:  removeSize,
		build: func(name string, x []int, g []*Graph) *Graph { return remove(name, g[0], x[0], x[1]) },
	},

	{name: "Transpose", form: graphForm, usage: "Transpose(G)", least: 1, most: 1,
		size:   func(_ []int, g []size) (size, *fault) { return g[0], nil },
		build:  func(name string, _ []int, g []*Graph) *Graph { return g[0].Transpose(name) },
		traits: Traits{Transitive: true},
	},

	{name: "Bidirect", form: graphForm, usage: "Bidirect(G)", least: 1, most: 1,
		size: func(_ []int, g []size) (size, *fault) {
			return size{g[0].nodes, 2 * g[0].degree, g[0].loops, g[0].irregular}, nil
		},
		build:  func(name string, _ []int, g []*Graph) *Graph { return Union(name, g[0], g[0].Transpose("")) },
		traits: Traits{Transitive: true},
	},
}
