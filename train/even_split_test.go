package train_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/train"
)

// splitGraphs include graphs with and without symmetry, two-way and one-way, with parallel
// circuits and with self-loops.
var splitGraphs = []string{
	"Ring(7)", "UniRing(2,5)", "BiRing(4,6)", "Torus(4,4)", "Torus(3,5)", "Torus(2,3,4)", "Q(4)", "K(6)", "K(4,4)",
	"H(2,3)", "Kautz(2,2)", "GenKautz(2,9)", "GenKautz(4,11)", "DeBruijn(2,3)", "C(12;2,3)", "DC(9;1,2)", "Diamond",
	"Line(K(4),1)", "DBT(9)", "Product(Ring(3),K(3))",
}

// The loads equal those of package flow, which routes pair by pair with the same rule.
func TestEvenSplitIsThatOfPackageFlow(t *testing.T) {
	for _, expr := range splitGraphs {
		g, err := topology.Parse(expr)
		if err != nil {
			t.Fatal(err)
		}
		var demands []flow.Demand
		for u := range g.Nodes() {
			for v := range g.Nodes() {
				if u != v {
					demands = append(demands, flow.Demand{Src: u, Dst: v, Amount: 1})
				}
			}
		}
		want, err := flow.Solve(t.Context(), flow.Problem{Graph: g, Demands: demands}, flow.ShortestSplit)
		if err != nil {
			t.Fatal(err)
		}
		got, err := train.SplitEvenly(t.Context(), g)
		if err != nil {
			t.Fatal(err)
		}
		if got.Hops != want.Load.Hops || math.Abs(got.Load-want.Load.Peak) > 1e-9*want.Load.Peak {
			t.Errorf("%s: %d hops and %v; package flow has %d and %v", expr, got.Hops, got.Load, want.Load.Hops, want.Load.Peak)
		}
	}
}

// Renumbering the nodes at random leaves the loads unchanged, although the symmetry is then
// hidden.
func TestEvenSplitDoesNotDependOnNumbers(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	for _, expr := range splitGraphs {
		g, err := topology.Parse(expr)
		if err != nil {
			t.Fatal(err)
		}
		number := random.Perm(g.Nodes())
		var edges []topology.Edge
		for e := range g.Edges() {
			edges = append(edges, topology.Edge{From: number[e.From], To: number[e.To], Count: e.Count})
		}
		a, err := train.SplitEvenly(t.Context(), g)
		if err != nil {
			t.Fatal(err)
		}
		b, err := train.SplitEvenly(t.Context(), topology.New(g.Nodes(), "shuffled", edges))
		if err != nil {
			t.Fatal(err)
		}
		if a.Hops != b.Hops || math.Abs(a.Load-b.Load) > 1e-9*a.Load {
			t.Errorf("%s: %+v, renumbered %+v", expr, a, b)
		}
	}
}

// If all circuits are alike, the load is the average: the sum of all distances divided by the
// number of circuits.
func TestEvenSplitIsOptimalOnAlikeCircuits(t *testing.T) {
	for _, expr := range []string{"Ring(8)", "Torus(6,6)", "Q(5)", "K(7)", "H(2,4)", "UniRing(1,9)", "Diamond", "Kautz(2,2)"} {
		g, err := topology.Parse(expr)
		if err != nil {
			t.Fatal(err)
		}
		s, err := train.SplitEvenly(t.Context(), g)
		if err != nil {
			t.Fatal(err)
		}
		distance, _ := g.AverageDistance()
		mean, _ := distance.Float64()
		pairs := float64(g.Nodes() * (g.Nodes() - 1))
		average := mean * pairs / float64(g.Circuits())
		if alike := expr != "Diamond" && expr != "Kautz(2,2)"; s.Load < average*(1-1e-9) || alike && s.Load > average*(1+1e-9) {
			t.Errorf("%s: %v; average %v", expr, s.Load, average)
		}
	}
}

func TestEvenSplitNeedsAConnectedGraph(t *testing.T) {
	if _, err := train.SplitEvenly(t.Context(), topology.DirectedCirculant(8, 2)); err == nil || !strings.Contains(err.Error(), "DC(8;2)") {
		t.Errorf("%v", err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := train.SplitEvenly(cancelled, topology.Hypercube(3)); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// BenchmarkSplitEvenly: with symmetry (Torus) and without (GenKautz).
func BenchmarkSplitEvenly(b *testing.B) {
	for _, expr := range []string{"Torus(32,32)", "GenKautz(4,1024)"} {
		g, err := topology.Parse(expr)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(expr, func(b *testing.B) {
			for b.Loop() {
				if _, err := train.SplitEvenly(b.Context(), g); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
