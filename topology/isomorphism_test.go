package topology

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/internal/permutations"
)

// isomorphicByTrial tries all permutations.
func isomorphicByTrial(g, h *Graph) bool {
	n := g.Nodes()
	if n != h.Nodes() {
		return false
	}
	for image := range permutations.Of(n) {
		if relabel(g, image).Equal(h) {
			return true
		}
	}
	return false
}

func checkMapping(t *testing.T, g, h *Graph, mapping []int) {
	t.Helper()
	if !relabel(g, mapping).Equal(h) {
		t.Errorf("the mapping from %s to %s is not an isomorphism", g.Name(), h.Name())
	}
}

func TestIsomorphicAgreesWithAllPermutations(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	found := 0
	for range 1500 {
		n := 1 + r.IntN(5)
		g := randomGraph(r, n, r.IntN(2*n))
		h := relabel(g, r.Perm(n))
		if r.IntN(2) == 0 {
			h = randomGraph(r, n, r.IntN(2*n))
		}
		mapping, ok, err := Isomorphic(context.Background(), g, h)
		if want := isomorphicByTrial(g, h); err != nil || ok != want {
			t.Fatalf("%v %v, want %v", ok, err, want)
		}
		if ok {
			found++
			checkMapping(t, g, h, mapping)
		}
	}
	if found < 300 {
		t.Errorf("only %d isomorphic pairs", found)
	}
}

func TestIsomorphicRecognisesRegularGraphsOfSixNodes(t *testing.T) {
	graphs := []*Graph{
		Torus(2, 3), mustParse(t, "K(3,3)"), mustParse(t, "Kautz(2,1)"), GenKautz(2, 6), DirectedCirculant(6, 1, 2), DirectedCirculant(6, 1, 5),
		DirectedCirculant(6, 2, 4), DirectedCirculant(6, 1, 1), DirectedCirculant(6, 2, 2), DirectedCirculant(6, 1, 3), Circulant(6, 2),
		DirectedCirculant(6, 1, 3, 5), DirectedCirculant(6, 2, 3, 4),
	}
	for _, g := range graphs {
		for _, h := range graphs {
			_, ok, err := Isomorphic(context.Background(), g, h)
			if want := isomorphicByTrial(g, h); err != nil || ok != want {
				t.Errorf("%s and %s: %v, want %v", g.Name(), h.Name(), ok, want)
			}
		}
	}
}

func TestIsomorphicFindsEveryRelabelling(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 10))
	for _, row := range published {
		g := mustParse(t, row.expr)
		h := relabel(g, r.Perm(g.Nodes()))
		mapping, ok, err := Isomorphic(context.Background(), g, h)
		if err != nil || !ok {
			t.Errorf("%s: %v %v", row.expr, ok, err)
			continue
		}
		checkMapping(t, g, h, mapping)
	}
}

func TestIsomorphicTellsRegularGraphsApart(t *testing.T) {
	// Q(4) is Torus(4,4); the other pairs share order and degree but not structure.
	for _, c := range []struct {
		g, h string
		ok   bool
	}{
		{"Q(4)", "Torus(4,4)", true}, {"C(16;1,7)", "K(4,4)", false}, {"Q(4)", "C(16;3,4)", false}, {"Q(4)", "C(16;1,3)", false},
		{"C(16;1,4)", "C(16;3,4)", true}, {"Kautz(2,3)", "GenKautz(2,24)", true}, {"DeBruijn(2,4)", "Line(DeBruijn(2,3),1)", true},
		{"DeBruijn(2,4)", "GenKautz(2,16)", true}, {"K(3,3)", "Degree(K(2),3)", true}, {"H(2,3)", "C(9;1,2)", false}, {"Product(Ring(3),Ring(5))", "C(15;3,5)", true},
		{"Degree(Kautz(2,2),3)", "Transpose(Degree(Kautz(2,2),3))", true}, {"Ring(6)", "C(6;2)", false},
	} {
		g, h := mustParse(t, c.g), mustParse(t, c.h)
		mapping, ok, err := Isomorphic(context.Background(), g, h)
		if err != nil || ok != c.ok {
			t.Errorf("%s and %s: %v %v, want %v", c.g, c.h, ok, err, c.ok)
		}
		if ok {
			checkMapping(t, g, h, mapping)
		}
	}
}

// Zhao et al., Table 9, the column for reverse-symmetry.
func TestReverseSymmetryOfTable9(t *testing.T) {
	for _, row := range published {
		if !row.reverseKnown {
			continue
		}
		ok, err := mustParse(t, row.expr).ReverseSymmetric(context.Background())
		if err != nil || !ok {
			t.Errorf("%s: %v %v", row.expr, ok, err)
		}
	}
}

func TestReverseSymmetryOfLargerGraphs(t *testing.T) {
	for _, c := range []struct {
		expr string
		ok   bool
	}{
		{"DeBruijn(2,8)", true}, {"Kautz(4,4)", true}, {"Kautz(2,9)", true}, {"Line(C(16;3,4),3)", true}, {"GenKautz(4,1280)", true},
		{"GenKautz(3,17)", false}, {"GenKautz(4,1024)", true}, {"GenKautz(4,1023)", false}, {"GenKautz(4,1000)", false}, {"GenKautz(2,999)", false},
		{"Degree(GenKautz(4,100),3)", false}, {"DC(4096;1,5,77)", true},
	} {
		if ok, err := mustParse(t, c.expr).ReverseSymmetric(context.Background()); err != nil || ok != c.ok {
			t.Errorf("%s: %v %v, want %v", c.expr, ok, err, c.ok)
		}
	}
}

func TestIsolatedNodesDoNotMultiplyTheWork(t *testing.T) {
	g := New(1000, "one pair", []Edge{{5, 9, 1}})
	if ok, err := g.ReverseSymmetric(context.Background()); err != nil || !ok {
		t.Error(ok, err)
	}
}

func TestIsomorphicEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, ok, err := Isomorphic(ctx, GenKautz(4, 64), GenKautz(4, 64).Transpose("")); ok || err != context.Canceled {
		t.Error(ok, err)
	}
}
