package topology

import (
	"context"
	"testing"
)

// TestGeneralizedPetersenGraphs: GP(5,2) is the Petersen graph, GP(4,1) the cube.
func TestGeneralizedPetersenGraphs(t *testing.T) {
	for expr, same := range map[string]string{"GP(5,2)": "DistReg(Petersen)", "GP(4,1)": "Q(3)"} {
		g, h := mustParse(t, expr), mustParse(t, same)
		_, equal, err := Isomorphic(context.Background(), g, h)
		if err != nil || !equal {
			t.Errorf("%s is not %s: %v", expr, same, err)
		}
	}
}

// TestCayleyGraphs: a commuting group gives a torus, inverses are inverses, and all nodes
// see the same distances.
func TestCayleyGraphs(t *testing.T) {
	torus, cayley := mustParse(t, "Torus(3,5)"), mustParse(t, "Cayley(5,3,1,1,4,5,10)")
	if _, same, err := Isomorphic(context.Background(), torus, cayley); err != nil || !same {
		t.Errorf("Cayley(5,3,1,..) is not the torus: %v", err)
	}
	const m, k, r = 7, 3, 2
	g := mustParse(t, "Cayley(7,3,2,1,7,6,14)")
	if !g.Bidirectional() {
		t.Error("generators with their inverses must give a two-way graph")
	}
	times := func(u, v int) int {
		turn := 1
		for range u / m {
			turn = turn * r % m
		}
		return (u%m+turn*(v%m))%m + m*((u/m+v/m)%k)
	}
	for u := range m * k {
		if inverse := CayleyInverse(m, k, r, u); times(u, inverse) != 0 || times(inverse, u) != 0 {
			t.Errorf("%d is not the inverse of %d", inverse, u)
		}
		if u > 0 && g.Count(u, times(u, 7)) != 1 {
			t.Errorf("no circuit from %d over generator 7", u)
		}
	}
}

// TestRegularGraphs: two-way, of their degree, connected, without parallel circuits, the same
// for the same seed. The sum of all targets, weighted, pins the graph: expressions in files
// must always mean the same graph.
func TestRegularGraphs(t *testing.T) {
	for _, expr := range []string{"Regular(4,3,0)", "Regular(250,3,1)", "Regular(9,4,7)", "Regular(33,8,5)", "Regular(12,11,0)", "Regular(20,7,3)"} {
		g := mustParse(t, expr)
		_, connected := g.Diameter()
		if !connected || !g.Bidirectional() || !g.Regular() || g.Bundles() != g.Circuits() || g.Find(0, 0) >= 0 {
			t.Errorf("%s: connected %v, two-way %v, regular %v, %d bundles of %d circuits", expr, connected, g.Bidirectional(), g.Regular(), g.Bundles(), g.Circuits())
		}
	}
	for _, expr := range []string{"Regular(5,3,0)", "Regular(7,5,3)", "Regular(99,3,4)", "Regular(31,7,2)"} {
		g := mustParse(t, expr)
		last := g.Nodes() - 1
		_, connected := g.Diameter()
		if !connected || !g.Bidirectional() || !g.Regular() || g.Bundles() != g.Circuits() || g.Count(last, last) != 1 || g.Find(0, 0) >= 0 {
			t.Errorf("%s: connected %v, two-way %v, regular %v, %d of the last node to itself", expr, connected, g.Bidirectional(), g.Regular(), g.Count(last, last))
		}
	}
	sum := 0
	for e := range mustParse(t, "Regular(250,3,1)").Edges() {
		sum += e.From * e.From * e.To
	}
	if sum != 2588350776 {
		t.Errorf("Regular(250,3,1) is another graph than it was: %d", sum)
	}
	if mustParse(t, "Regular(250,3,1)").Equal(mustParse(t, "Regular(250,3,2)")) {
		t.Error("another seed gives the same graph")
	}
}

// TestOverlays: circuits add up, idle ports lead nowhere.
func TestOverlays(t *testing.T) {
	if g := mustParse(t, "Union(Ring(6),DC(6;3))"); !g.Equal(mustParse(t, "DC(6;1,3,5)")) {
		t.Error("a ring and its diagonals are a circulant of three jumps")
	}
	g := mustParse(t, "Idle(Ring(6),2)")
	if g.Degree() != 4 || g.Count(3, 3) != 2 || g.Count(3, 4) != 1 {
		t.Errorf("Idle(Ring(6),2) has degree %d", g.Degree())
	}
	for _, expr := range []string{"Union(Ring(6),Ring(5))", "GP(5,3)", "GP(2,1)", "Cayley(25,10,2,1)", "Cayley(5,3,1,15)", "Regular(3,2,0)",
		"Regular(4,4,0)", "Idle(Ring(4),0)", "Cayley(99999,99999,1,1)"} {
		if _, err := Parse(expr); err == nil {
			t.Errorf("%s is accepted", expr)
		}
	}
}

// TestEdges: the expression of a graph without a name lists its circuits.
func TestEdges(t *testing.T) {
	for _, expr := range []string{"Torus(3,4)", "Kautz(2,2)", "DBT(7)", "DC(4;1,1,3)", "DeBruijn(2,3)"} {
		g := mustParse(t, expr)
		e := EdgesOf(g)
		if again := mustParse(t, e.String()); !again.Equal(g) || again.Name() != e.String() || e.Nodes() != g.Nodes() {
			t.Errorf("%s is not %v", expr, e)
		}
	}
	for _, expr := range []string{"Edges(1;0,0,1)", "Edges(3;0,3,1)", "Edges(3;0,1,0)", "Edges(3;0,1)", "Edges(3;0,1,1,2)", "Edges(3;0,1,67108864,1,0,67108864)"} {
		if _, err := Parse(expr); err == nil {
			t.Errorf("%s is accepted", expr)
		}
	}
}
