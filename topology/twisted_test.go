package topology

import (
	"context"
	"fmt"
	"slices"
	"testing"
)

// twistedByWrapping is the definition of Cámara et al.: an a x b torus, a < b, in which the end
// of a column leads to the start of the column that is a further on.
func twistedByWrapping(a, b int) *Graph {
	var edges []Edge
	add := func(u, v int) { edges = append(edges, Edge{u, v, 1}, Edge{v, u, 1}) }
	for y := range a {
		for x := range b {
			add(y*b+x, y*b+(x+1)%b)
			if y < a-1 {
				add(y*b+x, (y+1)*b+x)
			} else {
				add(y*b+x, (x+a)%b)
			}
		}
	}
	return New(a*b, "", edges)
}

func TestTwistedTorusIsTheTorusWithATwist(t *testing.T) {
	for a := 2; a <= 7; a++ {
		for b := a + 1; b <= 15; b++ {
			g := mustParse(t, fmt.Sprintf("TwistedTorus(%d,%d)", a, b))
			for _, h := range []*Graph{twistedByWrapping(a, b), mustParse(t, fmt.Sprintf("TwistedTorus(%d,%d)", b, a))} {
				if _, ok, err := Isomorphic(context.Background(), g, h); !ok || err != nil {
					t.Errorf("%s differs, %v", g.Name(), err)
				}
			}
			if group, ok := g.Symmetry(); !ok || group.Trivial() {
				t.Errorf("%s: no translations", g.Name())
			}
		}
	}
	if !mustParse(t, "TwistedTorus(5,5)").Equal(Torus(5, 5)) {
		t.Error("a twist by a whole turn changes the torus")
	}
}

// Cámara et al.: with sides a and 2a the diameter is a, and all nodes are nearer on
// average than in the torus.
func TestTwistShortensTheTorusOfTwoSquares(t *testing.T) {
	for a := 2; a <= 16; a++ {
		g := mustParse(t, fmt.Sprintf("TwistedTorus(%d,%d)", a, 2*a))
		twisted, _ := g.AverageDistance()
		plain, _ := Torus(a, 2*a).AverageDistance()
		if d, _ := g.Diameter(); d != a || twisted.Cmp(plain) >= 0 {
			t.Errorf("%s: diameter %d, average distance %v, without twist %v", g.Name(), d, twisted, plain)
		}
	}
}

// Esfahanian, Ni and Sagan: two edges of a square are exchanged for its diagonals.
func TestTwistedCubeIsTheCubeWithTwoEdgesExchanged(t *testing.T) {
	cube, twisted := Hypercube(3), mustParse(t, "TwistedQ(3)")
	var lost, gained [][2]int
	for u := range 8 {
		for v := range u {
			switch {
			case cube.Count(v, u) > twisted.Count(v, u):
				lost = append(lost, [2]int{v, u})
			case cube.Count(v, u) < twisted.Count(v, u):
				gained = append(gained, [2]int{v, u})
			}
		}
	}
	if !slices.Equal(lost, [][2]int{{0, 1}, {2, 3}}) || !slices.Equal(gained, [][2]int{{1, 2}, {0, 3}}) {
		t.Errorf("lost %v, gained %v", lost, gained)
	}
}
