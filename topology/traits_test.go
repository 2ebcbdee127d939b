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
	for _, text := range []string{"DC(9;1,2,4)", "DC(8;1,3)", "DC(12;1,1,5)", "Paley(7)", "Paley(19)", "Paley(27)"} {
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
	reversed, lines := map[string]int{}, map[string]int{}
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
	for i := range families {
		if r := &families[i]; r.traits.ReverseSymmetric && reversed[r.name] < 3 || r.traits.LinesWithin && lines[r.name] < 3 {
			t.Errorf("%s: too few graphs were looked at", r.name)
		}
	}
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
