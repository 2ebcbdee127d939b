package topology

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// checkInvariant verifies what Graph promises about its rows.
func checkInvariant(t *testing.T, g *Graph) {
	t.Helper()
	if g.RowStart(0) != 0 || g.RowStart(g.Nodes()) != g.Bundles() {
		t.Errorf("%s: rows do not cover the bundles", g.Name())
	}
	for u := range g.Nodes() {
		to, count := g.Row(u)
		for i, v := range to {
			if i > 0 && to[i-1] >= v || int(v) >= g.Nodes() || v < 0 || count[i] < 1 {
				t.Fatalf("%s: row %d is %v with counts %v", g.Name(), u, to, count)
			}
		}
	}
}

func TestNewMergesParallelEdgesAndDropsEmptyOnes(t *testing.T) {
	g := New(3, "g", []Edge{{2, 0, 1}, {0, 1, 1}, {0, 1, 2}, {1, 2, 0}})
	want := []Edge{{0, 1, 3}, {2, 0, 1}}
	if got := slices.Collect(g.Edges()); !slices.Equal(got, want) {
		t.Errorf("edges %v, want %v", got, want)
	}
	if g.Circuits() != 4 || g.Bundles() != 2 || g.Degree() != 3 || g.Find(1, 2) != -1 || g.Count(0, 1) != 3 {
		t.Errorf("circuits %d, bundles %d, degree %d", g.Circuits(), g.Bundles(), g.Degree())
	}
}

func TestNewPanicsOnANodeOutside(t *testing.T) {
	for _, e := range []Edge{{0, 3, 1}, {-1, 0, 1}, {0, 1, -1}} {
		mustPanic(t, func() { New(3, "", []Edge{e}) })
	}
}

func mustPanic(t *testing.T, f func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	f()
}

func TestTransposeTurnsEveryCircuitRoundAndIsAnInvolution(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		g := randomGraph(r, 1+r.IntN(9), r.IntN(40))
		reverse := g.Transpose("reverse")
		checkInvariant(t, reverse)
		for u := range g.Nodes() {
			for v := range g.Nodes() {
				if g.Count(u, v) != reverse.Count(v, u) {
					t.Fatalf("circuits %d -> %d: %d, reversed %d", u, v, g.Count(u, v), reverse.Count(v, u))
				}
			}
		}
		if !reverse.Transpose("").Equal(g) {
			t.Fatal("transposing twice changes the graph")
		}
	}
}

func TestUnionAddsCircuits(t *testing.T) {
	g := Union("u", DirectedCirculant(5, 1), Circulant(5, 1, 2))
	if got, _ := g.Jumps(); !slices.Equal(got, []int{1, 1, 2, 3, 4}) {
		t.Errorf("jumps %v", got)
	}
	if g.Named("v").Name() != "v" || g.Name() != "u" {
		t.Error("Named changes the graph it is called on")
	}
}

// Find says where a bundle is in the order of Edges, whether a node has few targets or many.
func TestFindIsThePlaceAmongTheEdges(t *testing.T) {
	for _, g := range []*Graph{GenKautz(3, 20), GenKautz(9, 20), Complete(12), DirectedCirculant(14, 1, 2, 5, 5)} {
		place := map[[2]int]int{}
		for e := range g.Edges() {
			place[[2]int{e.From, e.To}] = len(place)
		}
		for u := range g.Nodes() {
			for v := range g.Nodes() {
				want, ok := place[[2]int{u, v}]
				if !ok {
					want = -1
				}
				if got := g.Find(u, v); got != want {
					t.Errorf("%s: %d -> %d at %d, not %d", g.Name(), u, v, got, want)
				}
			}
		}
	}
}

// Nodes that are renumbered and renumbered back have the circuits that they had.
func TestRenumberingBackGivesTheSameCircuits(t *testing.T) {
	g := New(4, "g", []Edge{{From: 0, To: 1, Count: 2}, {From: 1, To: 3, Count: 1}, {From: 3, To: 2, Count: 1}})
	to, back := []int{6, 0, 5, 2}, make([]int, 7)
	for u, v := range to {
		back[v] = u
	}
	moved := g.Renumber("moved", 7, to)
	if moved.Count(6, 0) != 2 || moved.Count(0, 2) != 1 || moved.Count(2, 5) != 1 {
		t.Errorf("%v", slices.Collect(moved.Edges()))
	}
	if again := moved.Renumber("again", 4, back); !again.Equal(g) {
		t.Errorf("%v", slices.Collect(again.Edges()))
	}
}
