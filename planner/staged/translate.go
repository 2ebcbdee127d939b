package staged

import (
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/topology"
)

// translate is a graph that looks the same from every node with every circuit u->v turned into
// u->v+t, for a translation t of its own, kept as the circuits of node 0 until a plan needs all:
// of a torus there are as many as it has nodes, and nearly all of them are too slow for a step.
type translate struct {
	of        *topology.Graph
	group     topology.Translations // that makes every node of the first
	by        int
	to, count []int32 // of node 0, ascending, without a loop
}

func newTranslate(of *topology.Graph, group topology.Translations, by int) *translate {
	t := &translate{of: of, group: group, by: by}
	type circuit struct{ to, count int32 }
	var row []circuit
	to, count := of.Row(0)
	for i, v := range to {
		if v := group.Apply(by, int(v)); v != 0 {
			row = append(row, circuit{int32(v), count[i]})
		}
	}
	slices.SortFunc(row, func(a, b circuit) int { return int(a.to - b.to) })
	for _, c := range row {
		t.to, t.count = append(t.to, c.to), append(t.count, c.count)
	}
	return t
}

// String tells translates of one graph apart.
func (t *translate) String() string {
	if t == nil {
		return ""
	}
	return fmt.Sprint(t.to, t.count)
}

// graph returns the circuits of all nodes.
func (t *translate) graph() *topology.Graph {
	edges := make([]topology.Edge, 0, t.of.Bundles())
	for e := range t.of.Edges() {
		if to := t.group.Apply(t.by, e.To); to != e.From {
			edges = append(edges, topology.Edge{From: e.From, To: to, Count: e.Count})
		}
	}
	return topology.New(t.of.Nodes(), fmt.Sprintf("%s shifted by %d", t.of.Name(), t.by), edges)
}

func (t *translate) floors() *flow.Floors { return flow.TranslateFloors(t.group, t.to, t.count) }
