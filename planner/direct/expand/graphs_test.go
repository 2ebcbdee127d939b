package expand_test

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/planner/direct/arrival"
	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/planner/direct/expand"
	"github.com/lightpath-net/lightpath/topology"
)

func parseExpr(t testing.TB, text string) topology.Expr {
	t.Helper()
	e, err := topology.ParseExpr(text)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func parse(t testing.TB, text string) *topology.Graph {
	t.Helper()
	g, err := topology.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// broadcast returns the BFB allgather of a graph.
func broadcast(t testing.TB, g *topology.Graph) *expand.Allgather {
	t.Helper()
	return must[*expand.Allgather](t)(expand.BFB(context.Background(), g))
}

// must returns a function that passes on a value without an error.
func must[T any](t testing.TB) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// costOf returns the cost of the allgather of a family, by broadcast or as a search found it,
// with all conditions of the theorems.
func costOf(t testing.TB, text string) expand.Cost {
	t.Helper()
	c, err := baseCost(parseExpr(t, text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func baseCost(e topology.Expr) (expand.Cost, error) {
	g, err := e.Build()
	if err != nil {
		return expand.Cost{}, err
	}
	c, err := costOnGraph(g)
	if times, ok := arrival.Of(e.String()); ok && err == nil {
		n := int64(g.Nodes())
		c.Steps, c.Bandwidth, c.BFB = times.Steps(), big.NewRat(n-1, n), false
	}
	return c, err
}

func costOnGraph(g *topology.Graph) (expand.Cost, error) {
	steps, bandwidth, err := bfb.Cost(context.Background(), g, bfb.AllGather)
	if err != nil {
		return expand.Cost{}, err
	}
	symmetric, err := g.ReverseSymmetric(context.Background())
	if err != nil {
		return expand.Cost{}, err
	}
	return expand.Cost{
		Nodes: g.Nodes(), Degree: g.Degree(), Steps: steps, Bandwidth: bandwidth,
		Simple: simple(g), BFB: true, ReverseSymmetric: symmetric,
	}, nil
}

func simple(g *topology.Graph) bool {
	for e := range g.Edges() {
		if e.Count > 1 || e.From == e.To {
			return false
		}
	}
	return true
}

func loops(g *topology.Graph) bool {
	for u := range g.Nodes() {
		if g.Find(u, u) >= 0 {
			return true
		}
	}
	return false
}

// baseGraphs returns graphs of at most 12 nodes and degree at most 4 that expansions are
// applied to: all members of most families, one-way and two-way, with parallel circuits
// and with circuits from a node to itself, and random regular ones.
func baseGraphs(t testing.TB) []*topology.Graph {
	t.Helper()
	exprs := []string{
		"Torus(2,3)", "Torus(3,3)", "Torus(3,4)", "Torus(2,2,3)", "Torus(2,6)", "Q(2)", "Q(3)", "H(2,2)", "H(2,3)",
		"K(2)", "K(3)", "K(4)", "K(5)", "K(1,1)", "K(2,2)", "K(3,3)", "K(4,4)", "Kautz(2,1)", "Kautz(2,2)", "Kautz(3,1)",
		"DeBruijn(2,1)", "DeBruijn(2,2)", "DeBruijn(2,3)", "DeBruijn(3,1)", "DeBruijn(3,2)", "DeBruijn(4,1)",
		"DC(5;1,1,2)", "DC(7;1,1,3)", "DC(8;1,3,3,4)", "C(7;1,1)", "Bidirect(Kautz(2,1))", "Bidirect(GenKautz(2,5))",
	}
	for m := 2; m <= 12; m++ {
		exprs = append(exprs, fmt.Sprintf("Ring(%d)", m), fmt.Sprintf("UniRing(1,%d)", m), fmt.Sprintf("UniRing(2,%d)", m),
			fmt.Sprintf("UniRing(3,%d)", m), fmt.Sprintf("BiRing(4,%d)", m))
		for d := 2; d <= min(4, m-1); d++ {
			exprs = append(exprs, fmt.Sprintf("GenKautz(%d,%d)", d, m), fmt.Sprintf("Transpose(GenKautz(%d,%d))", d, m))
		}
		for a := 1; a <= (m-1)/2; a++ {
			for b := a + 1; b <= (m-1)/2; b++ {
				exprs = append(exprs, fmt.Sprintf("C(%d;%d,%d)", m, a, b))
			}
		}
	}
	for m := 3; m <= 8; m++ {
		for a := 1; a < m; a++ {
			for b := a + 1; b < m; b++ {
				exprs = append(exprs, fmt.Sprintf("DC(%d;%d,%d)", m, a, b))
			}
		}
	}
	var graphs []*topology.Graph
	for _, expr := range exprs {
		if g := parse(t, expr); g.Joins() {
			graphs = append(graphs, g)
		}
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 60 {
		if g := randomRegular(r, 3+r.IntN(7), 2+r.IntN(3)); g.Joins() {
			graphs = append(graphs, g)
		}
	}
	return graphs
}

// randomRegular returns a graph in which d circuits leave and enter every node. It may have
// parallel circuits and circuits from a node to itself, and need not be connected.
func randomRegular(r *rand.Rand, n, d int) *topology.Graph {
	var edges []topology.Edge
	for range d {
		for u, v := range r.Perm(n) {
			edges = append(edges, topology.Edge{From: u, To: v, Count: 1})
		}
	}
	return topology.New(n, fmt.Sprintf("regular%v", edges), edges)
}

// randomDigraph returns a strongly connected multigraph, mostly irregular.
func randomDigraph(r *rand.Rand, n, more int) *topology.Graph {
	var edges []topology.Edge
	cycle := r.Perm(n)
	for i, u := range cycle {
		edges = append(edges, topology.Edge{From: u, To: cycle[(i+1)%n], Count: 1 + r.IntN(2)})
	}
	for range more {
		edges = append(edges, topology.Edge{From: r.IntN(n), To: r.IntN(n), Count: 1})
	}
	return topology.New(n, fmt.Sprintf("random%v", edges), edges)
}

func rat(t testing.TB, text string) *big.Rat {
	t.Helper()
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		t.Fatalf("%q is not a fraction", text)
	}
	return r
}
