package topology

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestPrintingAParsedExpressionGivesItBack(t *testing.T) {
	expressions := []string{
		"DBT(12)", "Power(Line(DBJMod(2,4),1),2)", "Product(Diamond,DistReg(O4),Transpose(DBT(5)))",
	}
	for _, name := range DistanceRegularNames() {
		expressions = append(expressions, "DistReg("+name+")")
	}
	for _, row := range published {
		expressions = append(expressions, row.expr)
	}
	r := rand.New(rand.NewPCG(5, 5))
	for range 500 {
		expressions = append(expressions, randomExpr(r, 3))
	}
	for _, s := range expressions {
		e, err := ParseExpr(s)
		if err != nil {
			t.Error(err)
			continue
		}
		if e.String() != s {
			t.Errorf("%s prints as %s", s, e)
		}
		spaced := "  " + strings.NewReplacer("(", " (\t", ",", " , ", ";", " ; ", ")", " ) ").Replace(s)
		if e, err := ParseExpr(spaced); err != nil || e.String() != s {
			t.Errorf("%q prints as %s, error %v", spaced, e, err)
		}
	}
}

// randomExpr draws a small valid expression.
func randomExpr(r *rand.Rand, depth int) string {
	if depth == 0 || r.IntN(3) == 0 {
		return []func() string{
			func() string { return fmt.Sprintf("Ring(%d)", 2+r.IntN(4)) },
			func() string { return fmt.Sprintf("Torus(%d,%d)", 2+r.IntN(2), 2+r.IntN(2)) },
			func() string { return fmt.Sprintf("C(%d;%d,%d)", 5+r.IntN(3), 1+r.IntN(2), 1+r.IntN(2)) },
			func() string { return fmt.Sprintf("DC(%d;%d)", 3+r.IntN(3), 1+r.IntN(2)) },
			func() string { return "Diamond" },
			func() string { return "DistReg(Petersen)" },
			func() string { return fmt.Sprintf("TwistedTorus(%d,%d)", 2+r.IntN(2), 2+r.IntN(3)) },
		}[r.IntN(7)]()
	}
	inner := randomExpr(r, depth-1)
	switch r.IntN(5) {
	case 0:
		return fmt.Sprintf("Line(%s,1)", inner)
	case 1:
		return fmt.Sprintf("Degree(%s,%d)", inner, 1+r.IntN(2))
	case 2:
		return fmt.Sprintf("Product(%s,%s)", inner, randomExpr(r, 0))
	case 3:
		return fmt.Sprintf("Transpose(%s)", inner)
	default:
		return fmt.Sprintf("Bidirect(%s)", inner)
	}
}

func TestParseErrorsSayWhereAndWhatIsRight(t *testing.T) {
	for _, c := range []struct {
		text   string
		column int
		says   string
	}{
		{"", 1, "expected a family or an operator, found end of the expression"},
		{"Tours(4,4)", 1, `unknown family "Tours" (did you mean "Torus"?); known: BiRing, Biaffine, Bidirect, C, Cayley,`},
		{"torus(4,4)", 1, `did you mean "Torus"?`},
		{"Quux(3)", 1, `unknown family "Quux"; known:`},
		{"4", 1, `found "4"`},
		{"Torus", 6, `expected '(', found end of the expression; write Torus(a,b,..)`},
		{"Torus()", 7, `expected a number, found ')'; write Torus(a,b,..)`},
		{"Torus(4,)", 9, "expected a number, found ')'"},
		{"Torus(4,-4)", 9, "expected a number, found '-'"},
		{"Torus(4,4", 10, "expected ')', found end of the expression"},
		{"Torus(4,4))", 11, "unexpected ')' after the end"},
		{"Torus(4,4) x", 12, `unexpected "x" after the end`},
		{"Torus(4;4)", 8, "expected ')', found ';'"},
		{"Torus(4,1)", 9, "a side must be at least 2, not 1"},
		{"UniRing(1)", 10, "expected ',', found ')'; write UniRing(d,m)"},
		{"UniRing(0,5)", 9, "d must be at least 1, not 0"},
		{"BiRing(3,5)", 8, "d must be even, not 3"},
		{"BiRing(0,5)", 8, "d must be at least 2, not 0"},
		{"Ring(1)", 6, "m must be at least 2, not 1"},
		{"Ring(4,4)", 7, "expected ')', found ','"},
		{"C(8)", 4, "expected ';', found ')'; write C(n;a,b,..)"},
		{"C(8,1)", 4, "expected ';', found ','"},
		{"C(8;5)", 5, "a circulant jump is at least 1 and less than n/2, not 5 with n = 8"},
		{"C(8;1,4)", 7, "less than n/2, not 4 with n = 8"},
		{"C(7;4)", 5, "less than n/2, not 4 with n = 7"},
		{"C(8;0)", 5, "at least 1"},
		{"DC(8;8)", 6, "less than n, not 8"},
		{"K(3,4)", 5, "must be equal, not 3 and 4"},
		{"K(1)", 3, "m must be at least 2"},
		{"GenKautz(4,4)", 12, "m must be more than d, not 4"},
		{"TwistedQ(4)", 10, "TwistedQ(3)"},
		{"TwistedTorus(4)", 15, "expected ',', found ')'; write TwistedTorus(a,b)"},
		{"TwistedTorus(4,1)", 16, "a side must be at least 2, not 1"},
		{"DBJMod(2,5)", 1, "DBJMod: the modified de Bruijn graphs are DBJMod(2,3), DBJMod(2,4), DBJMod(3,2), DBJMod(4,2)"},
		{"DBJMod(60000000,60000000)", 1, "the modified de Bruijn graphs are"},
		{"DBT(1)", 5, "m must be at least 2, not 1"},
		{"Line(Product(DBT(5),Ring(3)),1)", 1, "line expansion needs a graph in which all nodes have the same degree"},
		{"DistReg(Tutte)", 9, `unknown distance-regular graph "Tutte" (did you mean "Tutte8"?); known: Octahedron, Paley9,`},
		{"DistReg(o4)", 9, `did you mean "O4"?`},
		{"DistReg(O4,2)", 11, "expected ')', found ','"},
		{"Degree(DeBruijn(2,3),2)", 1, "without self-loops"},
		{"Degree(Line(GenKautz(2,5),1),2)", 1, "without self-loops"},
		{"Product(Ring(3))", 16, "expected ',', found ')'; write Product(G,H,..)"},
		{"Line(Ring(3))", 13, "expected ',', found ')'; write Line(G,k)"},
		{"Line(3,Ring(3))", 6, `expected a family or an operator, found "3"`},
		{"Line(Ring(3),0)", 14, "k must be at least 1"},
		{"Line(Torsu(3),2)", 6, `did you mean "Torus"?`},
		{"Diamond(2)", 8, "unexpected '('"},
		{"DistReg()", 9, "expected a name"},
		{"Ring(\n3)", 6, `found '\n'`},
		{"Ring(999999999999999999999999)", 6, "a number is at most 67108864"},
		{"K(100000)", 1, "more than 67108864 circuits"},
		{"Q(21)", 1, "more than 1048576 nodes"},
		{"Q(60000000)", 1, "more than 1048576 nodes"},
		{"Power(K(9),9)", 1, "more than 1048576 nodes"},
		{"H(60000000,60000000)", 1, "more than 1048576 nodes"},
		{"UniRing(60000000,60)", 1, "more than 67108864 circuits"},
		{"Ring(2000000)", 1, "more than 1048576 nodes"},
		{"Line(Line(Line(K(100),1),1),1)", 6, "more than 67108864 circuits"},
		{"Degree(Ring(4),60000000)", 1, "more than 1048576 nodes"},
		{strings.Repeat("Transpose(", MaxDepth) + "Ring(3)" + strings.Repeat(")", MaxDepth), 10*MaxDepth + 1, "nest deeper than 64"},
	} {
		_, err := ParseExpr(c.text)
		if err == nil {
			t.Errorf("%s: no error", c.text)
			continue
		}
		message := err.Error()
		if !strings.HasPrefix(message, "topology expression "+quote(c.text)) ||
			!strings.Contains(message, fmt.Sprintf(": column %d: ", c.column)) || !strings.Contains(message, c.says) ||
			strings.Contains(message, "\n") {
			t.Errorf("%s: %v; want column %d and %q", c.text, err, c.column, c.says)
		}
	}
}

func TestDeepestNestingIsAccepted(t *testing.T) {
	text := strings.Repeat("Transpose(", MaxDepth-1) + "Ring(3)" + strings.Repeat(")", MaxDepth-1)
	if g := mustParse(t, text); !g.Equal(Torus(3)) {
		t.Error("the graph differs from Ring(3)")
	}
}

func TestBuildChecksAnExpressionMadeByHand(t *testing.T) {
	ring := Expr{Family: "Ring", Numbers: []int{5}}
	if g, err := (Expr{Family: "Line", Graphs: []Expr{ring}, Numbers: []int{1}}).Build(); err != nil || g.Name() != "Line(Ring(5),1)" {
		t.Error(g, err)
	}
	for _, e := range []Expr{
		{}, {Family: "Ring"}, {Family: "C", Numbers: []int{5}}, {Family: "Line", Numbers: []int{1}}, {Family: "Ring", Numbers: []int{-3}},
		{Family: "Ring", Graphs: []Expr{ring}}, {Family: "Diamond", Label: "x"}, {Family: "Sponge", Numbers: []int{3}},
	} {
		if _, err := e.Build(); err == nil {
			t.Errorf("%s: %v", e, err)
		}
	}
}

// Whatever the parser accepts prints in a form that parses to the same expression, and small
// expressions build graphs of the size computed beforehand.
func FuzzParseExpr(f *testing.F) {
	for _, row := range published {
		f.Add(row.expr)
	}
	for _, s := range []string{
		"", " Torus ( 4 , 4 ) ", "Tours(4,4)", "C(8;5)", "K(100000)", "Power(K(9),9)", "DistReg(Tutte8)", "Power(DBT(5),2)",
		"Line(Line(Line(K(1000),1),1),1)", "((((", "Product(", "K(3,\x00)", "Ring(007)", "Ring(99999999999999999999)", "C(;)",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		e, err := ParseExpr(s)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("error of several lines: %q", err)
			}
			return
		}
		canonical := e.String()
		p := parser{text: canonical}
		again, size, fault := p.expr(1)
		if fault != nil || again.String() != canonical {
			t.Fatalf("%q prints as %q, which reads as %q, fault %v", s, canonical, again, fault)
		}
		const small = 1 << 12
		if times(size.nodes, size.degree) > small {
			return
		}
		g, err := e.Build()
		if err != nil {
			t.Fatalf("%q parses but does not build: %v", s, err)
		}
		if int64(g.Nodes()) != size.nodes || int64(g.Degree()) != size.degree || g.Regular() == size.irregular || g.Name() != canonical {
			t.Errorf("%q: %d nodes of degree %d, expected %+v", s, g.Nodes(), g.Degree(), size)
		}
	})
}
