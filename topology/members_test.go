package topology

import (
	"fmt"
	"slices"
	"testing"
)

func membersOf(n, degree int) (list []string) {
	for e := range OfNodes(n, degree) {
		list = append(list, e.String())
	}
	return list
}

func TestOfNodesIsExact(t *testing.T) {
	for n := 2; n <= 130; n++ {
		for degree := 1; degree <= 8; degree++ {
			seen := map[string]bool{}
			for e := range OfNodes(n, degree) {
				g, err := e.Build()
				if err != nil {
					t.Fatal(err)
				}
				if e.Nodes() != n || g.Nodes() != n || g.Degree() != degree || !g.Regular() || seen[g.Name()] {
					t.Errorf("%s for %d nodes of degree %d: %d of %d", e, n, degree, g.Nodes(), g.Degree())
				}
				seen[g.Name()] = true
			}
		}
	}
}

// Every member of Zhao et al., Table 9, whose parameters are small is found for its nodes and
// degree, unless its definition makes it one of an earlier family.
func TestOfNodesMissesNothing(t *testing.T) {
	var all []string
	add := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	for a := 2; a <= 9; a++ {
		add("K(%d)", a)
		add("K(%d,%d)", a, a)
		for b := 2; b <= 5; b++ {
			add("H(%d,%d)", b, a)
			add("Kautz(%d,%d)", a, b)
			add("DeBruijn(%d,%d)", a, b)
		}
		for m := a + 2; m <= 40; m++ {
			if e := fmt.Sprintf("GenKautz(%d,%d)", a, m); m%(a+1) != 0 || exponent(a, m/(a+1)) == 0 {
				add("%s", e)
			}
		}
		for m := 3; m <= 12; m++ {
			add("UniRing(%d,%d)", a-1, m)
			add("BiRing(%d,%d)", 2*a-2, m)
		}
		add("TwistedTorus(%d,%d)", a, 2*a)
	}
	for _, name := range DistanceRegularNames() {
		add("DistReg(%s)", name)
	}
	all = append(all, "DC(4;1,2)", "DC(7;1,2,3,4,5)", "C(5;1,2)", "C(7;2,3)", "C(1013;22,23)", "C(1024;23,24)", "C(9;2,2,3,3)", "UniRing(5,2)",
		"Diamond", "DBJMod(2,3)", "DBJMod(2,4)", "DBJMod(3,2)", "DBJMod(4,2)", "TwistedQ(3)")
	for _, expr := range all {
		e, err := ParseExpr(expr)
		if err != nil {
			t.Fatal(err)
		}
		if e.Nodes() > 2000 {
			continue
		}
		if list := membersOf(e.Nodes(), mustParse(t, expr).Degree()); !slices.Contains(list, expr) {
			t.Errorf("%s is not in %v", expr, list)
		}
	}
}

func TestOfNodesYieldsInOneOrderAndStops(t *testing.T) {
	want := []string{"K(4,4)", "GenKautz(4,8)", "C(8;2,3)", "BiRing(4,8)", "UniRing(4,8)", "TwistedTorus(2,4)"}
	if got := membersOf(8, 4); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for e := range OfNodes(8, 2) {
		if e.Family != "GenKautz" {
			t.Errorf("%s comes first", e)
		}
		break
	}
	for _, c := range [][2]int{{1, 1}, {0, 4}, {-8, 2}, {8, 0}, {8, -2}, {MaxNodes + 1, 2}, {MaxNodes, 1000}, {5, 1 << 60}} {
		if list := membersOf(c[0], c[1]); list != nil {
			t.Errorf("%v: %v", c, list)
		}
	}
}

func BenchmarkOfNodes(b *testing.B) {
	for b.Loop() {
		for n := 2; n <= 2000; n++ {
			for range OfNodes(n, 4) {
			}
		}
	}
}
