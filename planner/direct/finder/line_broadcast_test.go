package finder

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/topology"
)

// randomSimple returns a random simple graph of n nodes in which d circuits enter and leave
// every node, or nil if the draw has none.
func randomSimple(r *rand.Rand, n, d int) *topology.Graph {
	var edges []topology.Edge
	for range d {
		for u, v := range r.Perm(n) {
			edges = append(edges, topology.Edge{From: u, To: v, Count: 1})
		}
	}
	g := topology.New(n, fmt.Sprint(edges), edges)
	if _, connected := g.Diameter(); !connected || !graphTraits(g).has(simple) {
		return nil
	}
	return g
}

// compareLines compares lineCosts with the broadcast on the line graph itself.
func compareLines(t *testing.T, g *topology.Graph, k int) {
	t.Helper()
	for op := bfb.AllGather; op <= bfb.AllReduce; op++ {
		steps, bandwidth, err := bfb.Cost(context.Background(), topology.LineGraph(g, k), op)
		if err != nil {
			t.Fatal(err)
		}
		got, err := lineCosts(context.Background(), g, k, op, false)
		if err != nil || got.Steps != steps || got.Bandwidth.Cmp(bandwidth) != 0 {
			t.Errorf("%v on Line(%s,%d): %d steps and %v, %v, want %d and %v", op, g.Name(), k, got.Steps, got.Bandwidth, err, steps, bandwidth)
		}
	}
}

func TestLineCostsAreThoseOfTheLineGraph(t *testing.T) {
	for _, expr := range []string{
		"Ring(4)", "Ring(5)", "K(4)", "K(3,3)", "Q(3)", "Torus(3,2)", "C(16;3,4)", "Kautz(2,1)", "Kautz(3,1)", "GenKautz(2,9)", "GenKautz(2,15)",
		"GenKautz(3,12)", "DC(3;1,2)", "DC(5;1,2)", "DC(7;1,3)", "DC(8;1,3)", "DC(16;1,7)", "DC(9;1,2,4)", "DC(6;1,2,3,4)", "DC(13;1,2,6,9)",
		"DC(64;1,6,30,39)", "Product(DC(5;1,2),K(2))", "Power(UniRing(1,3),2)", "Line(DC(8;1,3),2)", "DC(10;1,2,3,4,5,6,7,8)",
	} {
		g, err := topology.Parse(expr)
		if err != nil {
			t.Fatal(err)
		}
		nodes := g.Nodes()
		for k := 1; k <= 5; k++ {
			if nodes *= g.Degree(); nodes <= 300 {
				compareLines(t, g, k)
			}
		}
	}
	r := rand.New(rand.NewPCG(1, 1))
	for range 150 {
		d := 2 + r.IntN(2)
		if g := randomSimple(r, d+1+r.IntN(6), d); g != nil {
			compareLines(t, g, 1+r.IntN(2))
		}
	}
}

// TestTheorem10HoldsForTwoWayGraphs, so that no broadcast has to be computed there.
func TestTheorem10HoldsForTwoWayGraphs(t *testing.T) {
	graphs := []string{"Ring(3)", "Ring(4)", "Ring(9)", "K(4)", "K(5)", "K(3,3)", "Q(3)", "Torus(3,2)", "Torus(4,3)", "C(7;1,2)", "C(16;3,4)", "C(13;1,3,4)"}
	for _, expr := range graphs {
		g, err := topology.Parse(expr)
		if err != nil {
			t.Fatal(err)
		}
		steps, bandwidth, err := bfb.Cost(context.Background(), g, bfb.AllGather)
		if err != nil {
			t.Fatal(err)
		}
		want, nodes := Cost{steps, bandwidth}, g.Nodes()
		for k := 1; k <= 4; k++ {
			want = lineCost(want, 1, nodes)
			nodes *= g.Degree()
			got, err := lineCosts(context.Background(), g, k, bfb.AllGather, true)
			if err != nil || got.Steps != want.Steps || got.Bandwidth.Cmp(want.Bandwidth) != 0 {
				t.Errorf("Line(%s,%d): %v, %v, want %v", expr, k, got, err, want)
			}
		}
	}
}

func TestLineCostsStop(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := lineCosts(ctx, topology.Hypercube(3), 1, bfb.AllReduce, false); err == nil {
		t.Error("no error after the context has ended")
	}
}

// BenchmarkLineCosts compares with computing the broadcast on the line graph itself.
func BenchmarkLineCosts(b *testing.B) {
	g := topology.DirectedCirculant(64, 1, 6, 30, 39)
	b.Run("from=graph", func(b *testing.B) {
		for b.Loop() {
			if _, err := lineCosts(context.Background(), g, 2, bfb.AllGather, true); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("from=line-graph", func(b *testing.B) {
		for b.Loop() {
			if _, _, err := bfb.Cost(context.Background(), topology.LineGraph(g, 2), bfb.AllGather); err != nil {
				b.Fatal(err)
			}
		}
	})
}
