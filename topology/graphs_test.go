package topology

import (
	"math/rand/v2"
	"testing"
)

// published is the shared table: expressions with the known figures of their families. A
// diameter of -1 is not checked.
var published = []struct {
	expr                     string
	nodes, degree, diameter  int
	bidirectional, loops     bool
	transitive, reverseKnown bool // reverseKnown: reverse-symmetric by Zhao et al., Table 9
}{
	{"Ring(2)", 2, 1, 1, true, false, true, true},
	{"Ring(3)", 3, 2, 1, true, false, true, true},
	{"Ring(9)", 9, 2, 4, true, false, true, true},
	{"UniRing(1,2)", 2, 1, 1, true, false, true, true},
	{"UniRing(1,7)", 7, 1, 6, false, false, true, true},
	{"UniRing(3,7)", 7, 3, 6, false, false, true, true},
	{"BiRing(4,2)", 2, 4, 1, true, false, true, true},
	{"BiRing(2,5)", 5, 2, 2, true, false, true, true},
	{"BiRing(6,8)", 8, 6, 4, true, false, true, true},
	{"Torus(2,3)", 6, 3, 2, true, false, true, true},
	{"Torus(2,2,2)", 8, 3, 3, true, false, true, true},
	{"Torus(3,4,5)", 60, 6, 5, true, false, true, true},
	{"Torus(6)", 6, 2, 3, true, false, true, true},
	{"TwistedTorus(2,2)", 4, 2, 2, true, false, true, true},
	{"TwistedTorus(2,4)", 8, 4, 2, true, false, true, true},
	{"TwistedTorus(4,4)", 16, 4, 4, true, false, true, true},
	{"TwistedTorus(4,6)", 24, 4, 4, true, false, true, true},
	{"TwistedTorus(4,8)", 32, 4, 4, true, false, true, true},
	{"TwistedTorus(8,4)", 32, 4, 4, true, false, true, true},
	{"TwistedQ(3)", 8, 3, 2, true, false, false, true},
	{"Q(1)", 2, 1, 1, true, false, true, true},
	{"Q(5)", 32, 5, 5, true, false, true, true},
	{"K(2)", 2, 1, 1, true, false, true, true},
	{"K(7)", 7, 6, 1, true, false, true, true},
	{"K(1,1)", 2, 1, 1, true, false, true, true},
	{"K(4,4)", 8, 4, 2, true, false, true, true},
	{"H(2,3)", 9, 4, 2, true, false, true, true},
	{"H(3,4)", 64, 9, 3, true, false, true, true},
	{"Kautz(2,0)", 3, 2, 1, true, false, true, true},
	{"Kautz(2,1)", 6, 2, 2, false, false, false, true},
	{"Kautz(2,3)", 24, 2, 4, false, false, false, true},
	{"Kautz(3,2)", 36, 3, 3, false, false, false, true},
	{"Kautz(4,2)", 80, 4, 3, false, false, false, true},
	{"GenKautz(2,12)", 12, 2, 3, false, false, false, true},
	{"GenKautz(3,17)", 17, 3, -1, false, true, false, false},
	{"GenKautz(4,5)", 5, 4, 1, true, false, true, true},
	{"GenKautz(4,100)", 100, 4, -1, false, false, false, false},
	{"Consecutive(2,9,4,1)", 9, 2, 3, false, false, false, false},
	{"Consecutive(3,16,5,2)", 16, 3, 3, false, true, false, false},
	{"DeBruijn(2,1)", 2, 2, 1, true, true, true, true},
	{"DeBruijn(2,4)", 16, 2, 4, false, true, false, true},
	{"DeBruijn(3,3)", 27, 3, 3, false, true, false, true},
	{"DBJMod(2,3)", 8, 2, 3, false, false, false, true},
	{"DBJMod(2,4)", 16, 2, 4, false, false, false, false},
	{"DBJMod(3,2)", 9, 3, 3, false, false, false, false},
	{"DBJMod(4,2)", 16, 4, 3, false, false, false, false},
	{"Diamond", 8, 2, 3, false, false, false, false},
	{"DBT(2)", 2, 2, 1, true, false, true, true},
	{"DistReg(Petersen)", 10, 3, 2, true, false, false, true},
	{"DistReg(GQ33)", 80, 4, 4, true, false, false, true},
	{"C(7;2,3)", 7, 4, 2, true, false, true, true},
	{"C(11;2,3)", 11, 4, 2, true, false, true, true},
	{"C(12;2,3)", 12, 4, 2, true, false, true, true},
	{"C(16;3,4)", 16, 4, 3, true, false, true, true},
	{"C(9;1,1)", 9, 4, 4, true, false, true, true},
	{"DC(8;4)", 8, 1, -1, true, false, true, true},
	{"DC(6;1,2,3,4)", 6, 4, 2, false, false, true, true},
	{"DC(10;1,3,3)", 10, 3, -1, false, false, true, true},
	{"Line(K(2,2),1)", 8, 2, 3, false, false, false, true},
	{"Line(C(16;3,4),3)", 1024, 4, 6, false, false, false, true},
	{"Line(UniRing(1,5),60000000)", 5, 1, 4, false, false, true, true},
	{"Line(UniRing(2,3),2)", 12, 2, 4, false, false, false, true},
	{"Degree(K(3),2)", 6, 4, 2, true, false, true, true},
	{"Degree(BiRing(2,5),2)", 10, 4, 2, true, false, true, true},
	{"Degree(UniRing(1,4),2)", 8, 2, 4, false, false, true, true},
	{"Power(Ring(3),2)", 9, 4, 2, true, false, true, true},
	{"Line(Power(Diamond,2),2)", 1024, 4, 8, false, false, false, false},
	{"Power(DeBruijn(2,2),2)", 16, 4, 4, false, true, false, true},
	{"Product(Ring(4),K(3))", 12, 4, 3, true, false, true, true},
	{"Product(DeBruijn(2,2),UniRing(1,3),K(2))", 24, 4, 5, false, true, false, true},
	{"Transpose(GenKautz(3,17))", 17, 3, -1, false, true, false, false},
	{"Bidirect(Kautz(2,1))", 6, 4, 2, true, false, false, true},
	{"Bidirect(Ring(5))", 5, 4, 2, true, false, true, true},
	{"Bidirect(Line(Degree(UniRing(1,3),2),1))", 12, 4, -1, true, false, false, true},
}

func mustParse(t testing.TB, expr string) *Graph {
	t.Helper()
	g, err := Parse(expr)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// randomGraph draws a multigraph in which self-loops and parallel circuits occur.
func randomGraph(r *rand.Rand, n, edges int) *Graph {
	list := make([]Edge, edges)
	for i := range list {
		list[i] = Edge{r.IntN(n), r.IntN(n), r.IntN(3)}
	}
	return New(n, "random", list)
}

// relabel moves node u to image[u].
func relabel(g *Graph, image []int) *Graph {
	var edges []Edge
	for e := range g.Edges() {
		edges = append(edges, Edge{image[e.From], image[e.To], e.Count})
	}
	return New(g.Nodes(), "relabelled "+g.Name(), edges)
}
