package topology_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/topology"
)

// star is a user-defined family: node 0 is joined to all others, both ways.
func star() topology.Family {
	return topology.Family{
		Name: "Star", Usage: "Star(m)", Least: 1, Most: 1,
		Size: func(x []int) (int, int, error) {
			if x[0] < 2 {
				return 0, 0, errors.New("a star has at least 2 nodes")
			}
			return x[0], x[0] - 1, nil
		},
		Build: func(x []int) (*topology.Graph, error) {
			var edges []topology.Edge
			for v := 1; v < x[0]; v++ {
				edges = append(edges, topology.Edge{From: 0, To: v, Count: 1}, topology.Edge{From: v, To: 0, Count: 1})
			}
			return topology.New(x[0], "", edges), nil
		},
	}
}

func TestAFamilyOfOnesOwnIsUsedLikeAnyOther(t *testing.T) {
	r, err := topology.NewRegistry(star())
	if err != nil {
		t.Fatal(err)
	}
	g, err := r.Parse(" Star( 5 )")
	if err != nil || g.Name() != "Star(5)" || g.Nodes() != 5 || g.OutDegree(0) != 4 || g.OutDegree(3) != 1 {
		t.Fatalf("%v, %v", g, err)
	}
	e, err := r.ParseExpr("Product(Star(3),Ring(4))")
	if err != nil || e.Nodes() != 12 {
		t.Fatalf("%v of %d nodes, %v", e, e.Nodes(), err)
	}
	if g, err = e.Build(); err != nil || g.Nodes() != 12 || g.OutDegree(0) != 4 {
		t.Errorf("%v, %v", g, err)
	}
	if !slices.Contains(r.Names(), "Star") || !slices.Contains(r.Names(), "Torus") || !slices.IsSorted(r.Names()) {
		t.Errorf("%v", r.Names())
	}
	if _, err := topology.Parse("Star(5)"); err == nil {
		t.Error("a registry has changed what everybody knows")
	}
	var builtIn *topology.Registry
	if g, err := builtIn.Parse("Ring(5)"); err != nil || g.Nodes() != 5 {
		t.Errorf("nil: %v, %v", g, err)
	}
}

func TestFaultsOfAFamilyOfOnesOwnAreErrors(t *testing.T) {
	lying := star()
	lying.Build = func([]int) (*topology.Graph, error) { return topology.New(3, "", nil), nil }
	wide := star()
	wide.Size = func(x []int) (int, int, error) { return x[0], 1, nil }
	loops := star()
	loops.Build = func(x []int) (*topology.Graph, error) {
		return topology.New(x[0], "", []topology.Edge{{From: 1, To: 1, Count: 1}}), nil
	}
	none := star()
	none.Build = func([]int) (*topology.Graph, error) { return nil, nil }
	refused := star()
	refused.Build = func([]int) (*topology.Graph, error) { return nil, errors.New("no time") }
	huge := star()
	huge.Size = func([]int) (int, int, error) { return topology.MaxNodes + 1, 1, nil }
	for _, c := range []struct {
		family topology.Family
		text   string
		want   string
	}{
		{star(), "Star(1)", "at least 2 nodes"},
		{star(), "Star(2,3)", "Star(m)"},
		{star(), "Line(Star(4),2)", "same degree"},
		{lying, "Star(5)", "not built the 5 nodes"},
		{wide, "Star(5)", "at most 1"},
		{loops, "Star(5)", "to itself"},
		{none, "Star(5)", "not built"},
		{refused, "Power(Star(5),2)", "no time"},
		{huge, "Star(5)", "more than"},
	} {
		r, err := topology.NewRegistry(c.family)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Parse(c.text); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", c.text, err, c.want)
		}
	}
}

func TestFamiliesThatMakeNoSenseAreRefused(t *testing.T) {
	with := func(change func(*topology.Family)) topology.Family {
		f := star()
		change(&f)
		return f
	}
	for _, families := range [][]topology.Family{
		{with(func(f *topology.Family) { f.Name = "" })},
		{with(func(f *topology.Family) { f.Name = "a b" })},
		{with(func(f *topology.Family) { f.Name = "3D" })},
		{with(func(f *topology.Family) { f.Name = "Torus" })},
		{with(func(f *topology.Family) { f.Least = 0 })},
		{with(func(f *topology.Family) { f.Least, f.Most = 3, 2 })},
		{with(func(f *topology.Family) { f.Size = nil })},
		{with(func(f *topology.Family) { f.Build = nil })},
		{star(), star()},
	} {
		if _, err := topology.NewRegistry(families...); err == nil {
			t.Errorf("%+v: no error", families[0])
		}
	}
}
