package flow

import (
	"testing"

	"github.com/lightpath-net/lightpath/topology"
)

// The load of a destination with one demand is summed along the demand's path. That is what its
// whole tree gives, bit by bit.
func TestALoneDemandLoadsItsPath(t *testing.T) {
	torus := topology.Torus(4, 6)
	group, ok := torus.Symmetry()
	if !ok {
		t.Fatal("a torus has no symmetry")
	}
	for _, c := range []struct {
		graph *topology.Graph
		group topology.Translations
	}{{torus, group}, {torus, topology.Translations{}}, {topology.GenKautz(3, 24), topology.Translations{}}, {topology.Torus(8, 9), topology.Translations{}}} {
		n := c.graph.Nodes()
		p := Problem{Graph: c.graph, Group: c.group}
		for v := 1; v < n; v++ {
			p.Demands = append(p.Demands, Demand{Src: (v * v) % (n - v), Dst: n - v, Amount: 1 / float64(v)})
		}
		cl, err := newClasses(p.Graph, p.Group)
		if err != nil {
			t.Fatal(err)
		}
		one, tree := newTrees(p, cl), newTrees(p, cl)
		for i, d := range p.Demands {
			if err := one.along(d.Dst, []int{i}); err != nil {
				t.Fatal(err)
			}
			if err := tree.down(d.Dst, []int{i}); err != nil {
				t.Fatal(err)
			}
		}
		if one.load != tree.load || one.work != tree.work {
			t.Errorf("%s: %+v and %v, want %+v and %v", c.graph.Name(), one.load, one.work, tree.load, tree.work)
		}
		for class := range one.on {
			if one.on[class] != tree.on[class] {
				t.Errorf("%s: %v on class %d, want %v", c.graph.Name(), one.on[class], class, tree.on[class])
			}
		}
	}
	apart := topology.New(4, "apart", []topology.Edge{{From: 0, To: 1, Count: 1}, {From: 2, To: 3, Count: 1}})
	if _, _, err := Floor(t.Context(), Problem{Graph: apart, Demands: []Demand{{Src: 0, Dst: 2, Amount: 1}}}); err == nil {
		t.Error("a demand between parts that no circuit joins has a load")
	}
}
