package pricing

import (
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/topology"
)

// What the circuits of node 0 say of a translated torus agrees with a search over all its
// circuits, and translates with different names are different.
func TestTranslatesAreWhatTheirCircuitsSay(t *testing.T) {
	for _, sides := range [][]int{{4, 4}, {3, 5}, {2, 6}, {3, 3, 4}, {2, 2, 3}} {
		base := topology.Torus(sides...)
		group, ok := base.Symmetry()
		if !ok {
			t.Fatalf("%s has no symmetry", base.Name())
		}
		var graphs []*topology.Graph
		var names []string
		for k := 1; k < group.Order(); k++ {
			moved := NewTranslate(base, group, k)
			g := moved.Graph()
			for i := range graphs {
				if g.Equal(graphs[i]) != (names[i] == moved.String()) {
					t.Fatalf("%s and %s: told apart by other than their circuits", g.Name(), graphs[i].Name())
				}
			}
			graphs, names = append(graphs, g), append(names, moved.String())
			slow, ok := flow.NewFloors(g)
			if !ok {
				t.Fatalf("%s has no symmetry", g.Name())
			}
			for v := 1; v < base.Nodes(); v++ {
				demands := slices.Values([]flow.Demand{{Src: 0, Dst: v, Amount: 1}, {Src: v, Dst: 1, Amount: 2}})
				want, connected := slow.Of(demands, topology.Translations{})
				got, reached := moved.floors().Of(demands, topology.Translations{})
				if got != want || connected != reached {
					t.Fatalf("%s to %d: %+v, %v; its circuits say %+v, %v", g.Name(), v, got, reached, want, connected)
				}
			}
		}
	}
}
