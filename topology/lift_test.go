package topology

import "testing"

// TestLifts: known graphs are lifts of smaller ones, and a turn moves every circuit.
func TestLifts(t *testing.T) {
	for expr, same := range map[string]string{
		"Lift(7,1,1,2,4)":                       "DC(7;1,2,4)",
		"Lift(10,2,2,8,1,5,7,0)":                "GP(5,2)", // spokes, a ring and jumps of two
		"Lift(12,12,1,2,3,4,5,6,7,8,9,10,11,0)": "UniRing(1,12)",
	} {
		g, h := mustParse(t, expr), mustParse(t, same)
		if _, ok, err := Isomorphic(t.Context(), g, h); err != nil || !ok {
			t.Errorf("%s is not %s (%v)", expr, same, err)
		}
	}
	g := mustParse(t, "Lift(12,3,4,2,9,0,8,1)")
	for e := range g.Edges() {
		if g.Count((e.From+3)%12, (e.To+3)%12) != e.Count {
			t.Errorf("no circuit a turn on from %v", e)
		}
	}
	for _, expr := range []string{"Lift(12,5,1,2,3,4,5)", "Lift(12,3,1,2)", "Lift(4,2,1,1)", "Lift(4,1,4)", "Lift(1,1,0)", "Lift(9999999,1,1)"} {
		if _, err := Parse(expr); err == nil {
			t.Errorf("%s is accepted", expr)
		}
	}
}

// TestLiftOf: LiftOf returns the expression of the same graph.
func TestLiftOf(t *testing.T) {
	for _, expr := range []string{"Lift(12,3,4,2,9,0,8,1)", "Lift(7,1,1,2,4)", "Lift(6,2,1,1,2,4)"} {
		g := mustParse(t, expr)
		if e := LiftOf(g, mustParse(t, expr).Nodes()); !mustParse(t, e.String()).Equal(g) {
			t.Errorf("%s is %v", expr, e)
		}
	}
	if e := LiftOf(mustParse(t, "DC(90;1,1,7)"), 1); e.String() != "Lift(90,1,1,1,7)" {
		t.Errorf("DC(90;1,1,7) is %v", e)
	}
}

// TestInsertedNodes: an inserted node lies on its circuits, and all degrees stay the same.
func TestInsertedNodes(t *testing.T) {
	g := mustParse(t, "Insert(K(4),0,3)") // the circuits between 0 and 1
	want := New(5, "", []Edge{
		{0, 2, 1}, {0, 3, 1}, {0, 4, 1}, {1, 2, 1}, {1, 3, 1}, {1, 4, 1}, {2, 0, 1}, {2, 1, 1}, {2, 3, 1},
		{3, 0, 1}, {3, 1, 1}, {3, 2, 1}, {4, 0, 1}, {4, 1, 1}, {4, 4, 1},
	})
	if !g.Equal(want) {
		t.Errorf("Insert(K(4),0,3) has %d circuits", g.Circuits())
	}
	for _, expr := range []string{"Insert(DC(8;1,3),2)", "Insert(DC(8;1,1,3),0,1,5)", "Insert(GenKautz(2,7),0,1)", "Remove(Insert(K(4),0,3),2,0)",
		"Remove(Q(3),5,1)", "Remove(DC(9;1,1,3),8,2)", "Remove(GenKautz(3,11),0,0)", "Insert(Remove(Torus(3,3),4,3),1,7)"} {
		if g := mustParse(t, expr); !g.Regular() {
			t.Errorf("%s is not regular", expr)
		}
	}
	for _, expr := range []string{"Insert(Ring(4),0,0)", "Insert(Ring(4),8)", "Insert(Ring(4),0,1,2)", "Insert(DBT(7),0)",
		"Remove(Ring(4),4,0)", "Remove(Ring(4),0,2)", "Remove(K(2),0,0)", "Remove(Mesh(4),0,0)"} {
		if _, err := Parse(expr); err == nil {
			t.Errorf("%s is accepted", expr)
		}
	}
}

// TestRemovedNodes: the neighbours of a removed node are joined in pairs, beginning with any of
// them.
func TestRemovedNodes(t *testing.T) {
	for _, expr := range []string{"Remove(K(5),4,0)", "Remove(K(5),4,1)", "Remove(K(5),0,2)"} {
		if g := mustParse(t, expr); !g.Bidirectional() || g.Bundles() != 12 || g.Circuits() != 16 {
			t.Errorf("%s: %d bundles of %d circuits", expr, g.Bundles(), g.Circuits())
		}
	}
	g := mustParse(t, "Remove(Q(3),7,0)") // the neighbours are 3, 5 and 6
	if !g.Bidirectional() || g.Count(3, 5) != 1 || g.Count(5, 3) != 1 || g.Count(6, 6) != 1 {
		t.Error("Remove(Q(3),7,0) does not join 3 and 5")
	}
	g = mustParse(t, "Remove(Q(3),7,1)")
	if !g.Bidirectional() || g.Count(5, 6) != 1 || g.Count(3, 3) != 1 {
		t.Error("Remove(Q(3),7,1) does not join 5 and 6")
	}
}

// TestCodes: a code gives the graph back, with as few digits as its symmetry allows.
func TestCodes(t *testing.T) {
	for expr, want := range map[string]string{
		"DC(9;1,3,7)":     "Code(026,9,1)",
		"UniRing(2,5)":    "Code(00,5,1)",
		"K(2,2)":          "Code(12011201,4,4)",
		"Idle(Ring(3),1)": "Code(201,3,1)",
		"DC(64;1,63)":     "Code(0_,64,1)",
	} {
		g := mustParse(t, expr)
		w := int(want[len(want)-2] - '0')
		e, ok := CodeOf(g, w)
		if !ok || e.Nodes() != g.Nodes() || e.String() != want || !mustParse(t, e.String()).Equal(g) {
			t.Errorf("%s is %v, want %s", expr, e, want)
		}
	}
	for _, g := range []*Graph{mustParse(t, "Idle(Ring(64),1)"), mustParse(t, "Ring(65)"), mustParse(t, "Mesh(3)"), mustParse(t, "GP(5,2)")} {
		if e, ok := CodeOf(g, 1); ok {
			t.Errorf("%s is %v", g.Name(), e)
		}
	}
	for _, expr := range []string{"Code(,5,1)", "Code(00,5,3)", "Code(000,6,2)", "Code(5,5,1)", "Code(0,65,1)", "Code(0,1,1)", "Code(0,5,0)", "Code(0,5)", "Code(01,4,2)"} {
		if _, err := Parse(expr); err == nil {
			t.Errorf("%s is accepted", expr)
		}
	}
}
