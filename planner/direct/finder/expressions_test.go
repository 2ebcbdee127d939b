package finder

import (
	"context"
	"testing"

	"github.com/lightpath-net/lightpath/topology"
)

func expr(t *testing.T, text string) topology.Expr {
	t.Helper()
	e, err := topology.ParseExpr(text)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestExpressionsNameTheGraph checks the name and, by an isomorphism, that the graph is
// the one that the operator makes.
func TestExpressionsNameTheGraph(t *testing.T) {
	for _, c := range []struct {
		got         topology.Expr
		want, means string
	}{
		{lineExpr(expr(t, "DC(5;1,2)")), "Line(DC(5;1,2),1)", "Line(DC(5;1,2),1)"},
		{lineExpr(expr(t, "Line(DC(5;1,2),1)")), "Line(DC(5;1,2),2)", "Line(Line(DC(5;1,2),1),1)"},
		{lineExpr(expr(t, "K(4)")), "Kautz(3,1)", "Line(K(4),1)"},
		{lineExpr(expr(t, "Kautz(2,1)")), "Kautz(2,2)", "Line(Kautz(2,1),1)"},
		{lineExpr(expr(t, "K(2,2)")), "Line(K(2,2),1)", "Line(K(2,2),1)"},
		{productExpr(expr(t, "Ring(4)"), expr(t, "K(3)")), "Torus(4,3)", "Product(Ring(4),K(3))"},
		{productExpr(expr(t, "K(2)"), expr(t, "Torus(4,3)")), "Torus(4,3,2)", "Product(K(2),Torus(4,3))"},
		{productExpr(expr(t, "K(2)"), expr(t, "Q(2)")), "Q(3)", "Product(K(2),Q(2))"},
		{productExpr(expr(t, "K(3)"), expr(t, "K(3)")), "H(2,3)", "Product(K(3),K(3))"},
		{productExpr(expr(t, "H(2,3)"), expr(t, "K(2)")), "Torus(3,3,2)", "Product(H(2,3),K(2))"},
		{productExpr(expr(t, "K(4)"), expr(t, "K(4)")), "H(2,4)", "Product(K(4),K(4))"},
		{productExpr(expr(t, "K(4)"), expr(t, "K(2)")), "Product(K(2),K(4))", "Product(K(4),K(2))"},
		{productExpr(expr(t, "DC(5;1,2)"), expr(t, "DC(5;1,2)")), "Power(DC(5;1,2),2)", "Product(DC(5;1,2),DC(5;1,2))"},
		{productExpr(expr(t, "Power(UniRing(1,3),2)"), expr(t, "UniRing(1,3)")), "Power(UniRing(1,3),3)", "Product(Power(UniRing(1,3),2),UniRing(1,3))"},
		{productExpr(expr(t, "Product(K(2),UniRing(1,3))"), expr(t, "K(3)")), "Product(K(2),K(3),UniRing(1,3))", "Product(Product(K(2),UniRing(1,3)),K(3))"},
		{powerExpr(expr(t, "Ring(4)"), 2), "Torus(4,4)", "Power(Ring(4),2)"},
		{powerExpr(expr(t, "K(2)"), 3), "Q(3)", "Power(K(2),3)"},
		{powerExpr(expr(t, "K(2,2)"), 2), "Power(K(2,2),2)", "Power(K(2,2),2)"},
		{powerExpr(expr(t, "Torus(4,3)"), 2), "Power(Torus(4,3),2)", "Power(Torus(4,3),2)"},
	} {
		if c.got.String() != c.want {
			t.Errorf("%s is written %v, want %s", c.means, c.got, c.want)
			continue
		}
		g, err := c.got.Build()
		if err != nil {
			t.Fatal(err)
		}
		h, err := topology.Parse(c.means)
		if err != nil {
			t.Fatal(err)
		}
		if _, same, err := topology.Isomorphic(context.Background(), g, h); err != nil || !same {
			t.Errorf("%v is not %s: %v", c.got, c.means, err)
		}
	}
}
