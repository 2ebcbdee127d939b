package bfb_test

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/topology"
)

// families has graphs of every kind up to 64 nodes: with parallel circuits, with
// circuits from a node to itself, one-way and two-way, with and without symmetry.
var families = []string{
	"Ring(2)", "Ring(3)", "Ring(8)", "Ring(9)", "UniRing(1,7)", "UniRing(3,5)", "BiRing(2,6)", "BiRing(4,7)", "BiRing(6,2)",
	"Torus(2,3)", "Torus(3,3,2)", "Torus(4,4)", "Torus(3,4,5)", "Torus(8,8)", "Q(1)", "Q(4)", "Q(6)",
	"K(2)", "K(9)", "K(2,2)", "K(5,5)", "H(2,3)", "H(3,4)", "Kautz(2,3)", "Kautz(3,2)", "Kautz(4,1)",
	"GenKautz(2,9)", "GenKautz(3,17)", "GenKautz(4,30)", "GenKautz(4,64)", "DeBruijn(2,5)", "DeBruijn(3,3)", "DeBruijn(4,2)",
	"C(11;2,3)", "C(16;3,4)", "C(15;1,4,5)", "C(9;1,1)", "DC(6;1,2,3,4)", "DC(7;1,3)", "DC(10;1,3,3)",
	"Line(K(2,2),1)", "Line(K(2,2),3)", "Line(C(16;3,4),1)", "Line(UniRing(2,3),2)", "Degree(Ring(5),3)", "Degree(Kautz(2,1),2)",
	"Power(UniRing(1,4),3)", "Power(Kautz(2,1),2)", "Product(Ring(4),K(3))", "Product(UniRing(2,3),GenKautz(2,7))",
	"Transpose(GenKautz(3,11))", "Bidirect(GenKautz(2,10))",
}

func parse(t testing.TB, expr string) *topology.Graph {
	t.Helper()
	g, err := topology.Parse(expr)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func solve(t testing.TB, g *topology.Graph, opts bfb.Options) *bfb.Schedule {
	t.Helper()
	s, err := bfb.Solve(context.Background(), g, opts)
	if err != nil {
		t.Fatalf("%s: %v", g.Name(), err)
	}
	return s
}

// cost returns steps and bandwidth of an allgather.
func cost(t testing.TB, g *topology.Graph) (int, *big.Rat) {
	t.Helper()
	steps, bandwidth, err := bfb.Cost(context.Background(), g, bfb.AllGather)
	if err != nil {
		t.Fatalf("%s: %v", g.Name(), err)
	}
	return steps, bandwidth
}

// randomDigraph returns a strongly connected multigraph, mostly irregular: a random cycle
// through all nodes and further circuits between random nodes, including parallel ones and ones
// from a node to itself, with in-degree at most the given one.
func randomDigraph(r *rand.Rand, n, inDegree int) *topology.Graph {
	var edges []topology.Edge
	cycle := r.Perm(n)
	for i, u := range cycle {
		edges = append(edges, topology.Edge{From: u, To: cycle[(i+1)%n], Count: 1})
	}
	for v := range n {
		for range r.IntN(inDegree) {
			edges = append(edges, topology.Edge{From: r.IntN(n), To: v, Count: 1})
		}
	}
	return topology.New(n, fmt.Sprintf("random%v", edges), edges)
}

// randomRegular returns a graph in which d circuits leave and enter every node, none of
// them from a node to itself. It may have parallel ones and not be connected.
func randomRegular(r *rand.Rand, n, d int) *topology.Graph {
	var edges []topology.Edge
	for len(edges) < n*d {
		to := r.Perm(n)
		fixed := false
		for u, v := range to {
			fixed = fixed || u == v
		}
		for u, v := range to {
			if !fixed {
				edges = append(edges, topology.Edge{From: u, To: v, Count: 1})
			}
		}
	}
	return topology.New(n, fmt.Sprintf("regular%v", edges), edges)
}

// simple reports whether a graph has neither parallel circuits nor ones from a node to
// itself.
func simple(g *topology.Graph) bool {
	for e := range g.Edges() {
		if e.Count > 1 || e.From == e.To {
			return false
		}
	}
	return true
}

// distances returns all distances, dist[v][u] from v to u.
func distances(g *topology.Graph) [][]int32 {
	n := g.Nodes()
	dist := make([][]int32, n)
	for v := range dist {
		dist[v] = make([]int32, n)
		g.Distances(v, dist[v], make([]int32, 0, n))
	}
	return dist
}

// linkLoads returns, for every step and receiver, the shards that each of its bundles carries,
// computed only from the transfers. For a reduce-scatter, sender and receiver change places.
func linkLoads(s *bfb.Schedule) []map[int]map[int]*big.Rat {
	loads := make([]map[int]map[int]*big.Rat, s.Steps+1)
	for step := range loads {
		loads[step] = map[int]map[int]*big.Rat{}
	}
	for step, t := range s.All() {
		u, w := t.Dst, t.Src
		if t.Reduce {
			u, w = w, u
		}
		if loads[step][u] == nil {
			loads[step][u] = map[int]*big.Rat{}
		}
		if loads[step][u][w] == nil {
			loads[step][u][w] = new(big.Rat)
		}
		part := t.To.Rat()
		loads[step][u][w].Add(loads[step][u][w], part.Sub(part, t.From.Rat()))
	}
	return loads
}
