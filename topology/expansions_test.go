package topology

import (
	"context"
	"math/rand/v2"
	"testing"
)

func TestLineGraphFollowsDefinition1(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 100 {
		g := randomGraph(r, 1+r.IntN(6), r.IntN(15))
		var circuits []Edge
		for e := range g.Edges() {
			for range e.Count {
				circuits = append(circuits, e)
			}
		}
		l := LineGraph(g, 1)
		checkInvariant(t, l)
		if l.Nodes() != len(circuits) {
			t.Fatalf("%d nodes for %d circuits", l.Nodes(), len(circuits))
		}
		for i, a := range circuits {
			for j, b := range circuits {
				if (l.Count(i, j) == 1) != (a.To == b.From) || l.Count(i, j) > 1 {
					t.Fatalf("circuit from %v to %v: %d", a, b, l.Count(i, j))
				}
			}
		}
	}
}

func TestDegreeExpansionFollowsDefinition3(t *testing.T) {
	for _, expr := range []string{"Ring(5)", "UniRing(2,3)", "Kautz(2,2)", "Torus(2,3)"} {
		g := mustParse(t, expr)
		const k = 3
		e := DegreeExpansion(g, k)
		checkInvariant(t, e)
		n := g.Nodes()
		for u := range k * n {
			for v := range k * n {
				if e.Count(u, v) != g.Count(u%n, v%n) {
					t.Fatalf("%s: %d circuits from %d to %d", e.Name(), e.Count(u, v), u, v)
				}
			}
		}
	}
}

func TestProductFollowsDefinition5(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for range 100 {
		g, h := randomGraph(r, 1+r.IntN(5), r.IntN(15)), randomGraph(r, 1+r.IntN(5), r.IntN(15))
		p := CartesianProduct(g, h)
		checkInvariant(t, p)
		m := h.Nodes()
		for a := range p.Nodes() {
			for b := range p.Nodes() {
				want := 0
				if a%m == b%m {
					want += g.Count(a/m, b/m)
				}
				if a/m == b/m {
					want += h.Count(a%m, b%m)
				}
				if p.Count(a, b) != want {
					t.Fatalf("%d circuits from %d to %d, want %d", p.Count(a, b), a, b, want)
				}
			}
		}
	}
}

// Zhao et al., appendix F: the result is two-way and 2d-regular.
func TestBidirectIsTwoWayOfTwiceTheDegree(t *testing.T) {
	for _, row := range published {
		g := mustParse(t, row.expr)
		b := Bidirect(g)
		if !b.Bidirectional() || !b.Regular() || b.Degree() != 2*row.degree || b.Nodes() != row.nodes {
			t.Errorf("%s: degree %d, bidirectional %v", b.Name(), b.Degree(), b.Bidirectional())
		}
	}
}

// Zhao et al., appendix A: expansions keep reverse-symmetry.
func TestExpansionsKeepReverseSymmetry(t *testing.T) {
	for _, base := range []*Graph{DirectedCirculant(5, 1, 2), mustParse(t, "Kautz(2,1)")} {
		for _, g := range []*Graph{LineGraph(base, 2), DegreeExpansion(base, 2), CartesianPower(base, 2)} {
			if ok, err := g.ReverseSymmetric(context.Background()); err != nil || !ok {
				t.Errorf("%s: %v %v", g.Name(), ok, err)
			}
		}
	}
}
