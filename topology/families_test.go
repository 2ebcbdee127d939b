package topology

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestFamiliesHaveTheirPublishedOrderDegreeAndDiameter(t *testing.T) {
	for _, row := range published {
		t.Run(row.expr, func(t *testing.T) {
			g := mustParse(t, row.expr)
			checkInvariant(t, g)
			if g.Name() != row.expr {
				t.Errorf("name %q", g.Name())
			}
			if g.Nodes() != row.nodes || g.Degree() != row.degree || !g.Regular() {
				t.Errorf("%d nodes of degree %d, regular %v; want %d of %d", g.Nodes(), g.Degree(), g.Regular(), row.nodes, row.degree)
			}
			if d, _ := g.Diameter(); row.diameter >= 0 && d != row.diameter {
				t.Errorf("diameter %d, want %d", d, row.diameter)
			}
			if g.Bidirectional() != row.bidirectional {
				t.Errorf("bidirectional %v", g.Bidirectional())
			}
			loops := false
			for u := range g.Nodes() {
				loops = loops || g.Count(u, u) > 0
			}
			if loops != row.loops {
				t.Errorf("self-loops %v", loops)
			}
			if _, ok := g.Symmetry(); ok != row.transitive {
				t.Errorf("transitive translations %v", ok)
			}
		})
	}
}

// Zhao et al., Table 9: generalized Kautz graphs have self-loops exactly when m mod
// (d+1) is not 0, no parallel circuits, and (Theorem 21) a diameter of at most one
// more than the Moore bound.
func TestGenKautzMatchesTable9(t *testing.T) {
	for d := 2; d <= 5; d++ {
		for m := d + 1; m <= 60; m++ {
			g := GenKautz(d, m)
			loops := false
			for u := range m {
				loops = loops || g.Count(u, u) > 0
			}
			if loops != (m%(d+1) != 0) || g.Bundles() != d*m || !g.Regular() {
				t.Errorf("%s: loops %v, %d bundles, regular %v", g.Name(), loops, g.Bundles(), g.Regular())
			}
			diameter, ok := g.Diameter()
			moore, _ := MooreDiameter(m, d, false)
			if !ok || diameter > moore+1 {
				t.Errorf("%s: diameter %d, Moore %d", g.Name(), diameter, moore)
			}
		}
	}
}

// Zhao et al., Def. 16: with m = d^(n+1) + d^n the generalized graph is Kautz(d,n).
func TestGenKautzOfKautzOrderIsKautz(t *testing.T) {
	for _, dn := range [][2]int{{2, 0}, {2, 1}, {2, 3}, {2, 6}, {3, 2}, {4, 3}} {
		kautz := mustParse(t, fmt.Sprintf("Kautz(%d,%d)", dn[0], dn[1]))
		_, ok, err := Isomorphic(context.Background(), GenKautz(dn[0], kautz.Nodes()), kautz)
		if err != nil || !ok {
			t.Errorf("%s is not %s: %v", GenKautz(dn[0], kautz.Nodes()).Name(), kautz.Name(), err)
		}
	}
}

func TestCirculantsMatchTheirDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for range 300 {
		n := 3 + r.IntN(20)
		var directed, twoWay []Edge
		var jumps, half []int
		for range 1 + r.IntN(4) {
			a, b := 1+r.IntN(n-1), 1+r.IntN((n-1)/2)
			jumps, half = append(jumps, a), append(half, b)
			for u := range n {
				directed = append(directed, Edge{u, (u + a) % n, 1})
				twoWay = append(twoWay, Edge{u, (u + b) % n, 1}, Edge{(u + b) % n, u, 1})
			}
		}
		g, h := DirectedCirculant(n, jumps...), Circulant(n, half...)
		if !g.Equal(New(n, "", directed)) || !h.Equal(New(n, "", twoWay)) {
			t.Fatalf("%s or %s differs from its definition", g.Name(), h.Name())
		}
		got, ok := g.Jumps()
		if slices.Sort(jumps); !ok || !slices.Equal(got, jumps) {
			t.Fatalf("%s: jumps %v", g.Name(), got)
		}
	}
}

func TestEqualFamiliesAgreeNodeByNode(t *testing.T) {
	for _, pair := range [][2]string{
		{"Ring(2)", "K(2)"}, {"Ring(7)", "C(7;1)"}, {"Ring(6)", "BiRing(2,6)"}, {"UniRing(2,5)", "DC(5;1,1)"},
		{"Q(4)", "H(4,2)"}, {"Q(3)", "Torus(2,2,2)"}, {"Q(3)", "Power(K(2),3)"}, {"H(2,3)", "Torus(3,3)"},
		{"H(3,4)", "Power(K(4),3)"}, {"Torus(3,4,5)", "Product(Ring(3),Ring(4),Ring(5))"},
		{"Torus(2,5)", "Product(Ring(2),Ring(5))"}, {"Kautz(3,2)", "Line(K(4),2)"}, {"Kautz(3,0)", "K(4)"},
		{"Degree(K(3),2)", "C(6;1,2)"}, {"BiRing(4,2)", "UniRing(4,2)"},
		{"Line(Line(K(3),1),2)", "Line(K(3),3)"}, {"Transpose(UniRing(1,5))", "DC(5;4)"},
		{"Bidirect(UniRing(1,5))", "Ring(5)"},
	} {
		if g, h := mustParse(t, pair[0]), mustParse(t, pair[1]); !g.Equal(h) {
			t.Errorf("%s and %s differ", pair[0], pair[1])
		}
	}
}

func TestConstructorsAgreeWithExpressions(t *testing.T) {
	for _, g := range []*Graph{
		Circulant(16, 3, 4), Circulant(7, 2, 2), DirectedCirculant(9, 8, 1), Torus(3, 2, 4), GenKautz(4, 33),
		Hypercube(4), Complete(6), LineGraph(Complete(4), 2), DegreeExpansion(Torus(3, 3), 2),
		CartesianProduct(Complete(3), GenKautz(2, 5)), CartesianPower(Torus(3), 3), Bidirect(GenKautz(2, 7)),
	} {
		if h := mustParse(t, g.Name()); !h.Equal(g) || h.Name() != g.Name() {
			t.Errorf("%s differs from its expression", g.Name())
		}
	}
}

func TestConstructorsPanicOnMisuse(t *testing.T) {
	for _, f := range []func(){
		func() { Circulant(8) }, func() { Circulant(8, 4) }, func() { Circulant(8, 0) },
		func() { DirectedCirculant(8, 8) }, func() { DirectedCirculant(1<<40, 1) }, func() { DirectedCirculant(-5, 1) },
		func() { Torus() }, func() { Torus(4, 1) }, func() { GenKautz(4, 4) }, func() { Hypercube(0) },
		func() { Hypercube(1 << 62) }, func() { Complete(1) }, func() { Complete(1 << 20) },
		func() { LineGraph(Complete(3), 0) }, func() { LineGraph(Complete(100), 4) },
		func() { DegreeExpansion(GenKautz(2, 5), 2) }, func() { DegreeExpansion(Complete(3), 0) }, func() { DegreeExpansion(Complete(4), 1<<62) },
		func() { CartesianPower(Complete(9), 9) }, func() { CartesianPower(Complete(9), 0) }, func() { CartesianProduct() },
	} {
		mustPanic(t, f)
	}
}
