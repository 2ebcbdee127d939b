package topology

import (
	"slices"
	"testing"
)

// The traits of a family are true of each of its small graphs, and of circulants with any
// jumps.
func TestTraitsAreTrue(t *testing.T) {
	var all []Expr
	for n := 2; n <= 32; n++ {
		for degree := 1; degree <= 5; degree++ {
			for e := range members(n, degree, func(*rule) bool { return true }) {
				all = append(all, e)
			}
		}
	}
	for _, text := range []string{
		"Ring(7)", "Ring(2)", "Ring(3)", "Torus(3,4)", "Torus(2,2,3)", "Torus(5)", "Q(1)", "Q(3)", "Q(4)", "Cayley(7,3,2,1,3)", "Cayley(9,3,4,1,4)", "Cayley(5,2,4,1,5)",
		"Degree(DC(5;1,2),2)", "Degree(K(3),3)", "Degree(Q(2),2)", "Power(UniRing(1,3),2)", "Power(K(3),3)", "Power(C(5;1),2)",
		"Product(K(2),DC(5;1,2))", "Product(Ring(3),Ring(4))", "Product(Q(2),UniRing(1,3),K(2))", "Idle(DC(5;1,2),1)", "Idle(K(3),2)", "Idle(Torus(2,3),1)",
		"Transpose(DC(7;1,2))", "Transpose(UniRing(2,4))", "Transpose(Cayley(7,3,2,1,3))", "Bidirect(DC(7;1,2))", "Bidirect(UniRing(1,5))", "Bidirect(Cayley(7,3,2,1,3))",
		"DC(9;1,2,4)", "DC(8;1,3)", "DC(12;1,1,5)", "Paley(7)", "Paley(19)", "Paley(27)",
	} {
		e, err := ParseExpr(text)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	same := func(g, h *Graph) bool {
		_, ok, err := Isomorphic(t.Context(), g, h)
		return err == nil && ok
	}
	reversed, lines, transitive := map[string]int{}, map[string]int{}, map[string]int{}
	for _, e := range all {
		g, err := e.Build()
		if err != nil {
			t.Fatal(err)
		}
		if e.Traits().ReverseSymmetric {
			reversed[e.Family]++
			if !same(g, g.Transpose("")) {
				t.Errorf("%v is not isomorphic to its transpose", e)
			}
		}
		if e.Transitive() {
			transitive[e.Family]++
			if !alike(t, g) {
				t.Errorf("the nodes of %v differ", e)
			}
		}
		if e.Traits().LinesWithin && g.Nodes()*g.Degree() <= 64 {
			lines[e.Family]++
			within := false
			for other := range members(g.Nodes()*g.Degree(), g.Degree(), func(r *rule) bool { return r.name == e.Family }) {
				h, err := other.Build()
				within = within || err == nil && same(LineGraph(g, 1), h)
			}
			if !within {
				t.Errorf("the line graph of %v is not of its family", e)
			}
		}
	}
	for _, r := range slices.Concat(families, operators) {
		if r.traits.ReverseSymmetric && reversed[r.name] < 3 || r.traits.LinesWithin && lines[r.name] < 3 || r.traits.Transitive && transitive[r.name] < 3 {
			t.Errorf("%s: too few graphs were looked at", r.name)
		}
	}
	for _, text := range []string{"Degree(Mesh(3),2)", "Power(DBT(3),2)", "Idle(Mesh(2,3),1)", "Line(K(4),1)", "Mesh(3)", "Product(K(3),Mesh(3))"} {
		if e, err := ParseExpr(text); err != nil || e.Transitive() {
			t.Errorf("%s: transitive, %v", text, err)
		}
	}
}

// alike reports whether an automorphism of a graph maps node 0 to every node.
func alike(t *testing.T, g *Graph) bool {
	t.Helper()
	found, err := g.Automorphisms(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	seen := map[int]bool{0: true}
	for queue := []int{0}; len(queue) > 0; queue = queue[1:] {
		for _, image := range found {
			if to := int(image[queue[0]]); !seen[to] {
				seen[to] = true
				queue = append(queue, to)
			}
		}
	}
	return len(seen) == g.Nodes()
}

// Only the search that a family names finds its members.
func TestFamiliesAreSearchedForWhatTheySay(t *testing.T) {
	found := map[Search][]string{}
	for n := 2; n <= 256; n++ {
		for degree := 1; degree <= 10; degree++ {
			for _, kind := range []Search{ForBandwidth, ForSteps} {
				for _, e := range Searched(kind, n, degree) {
					found[kind] = append(found[kind], e.Family)
					if e.Traits().Search != kind || e.Nodes() != n {
						t.Errorf("%v of %d nodes is found among %d", e, n, kind)
					}
				}
			}
		}
	}
	for i := range families {
		if r := &families[i]; r.traits.Search != NotSearched && !slices.Contains(found[r.traits.Search], r.name) {
			t.Errorf("%s is never found", r.name)
		}
	}
}
