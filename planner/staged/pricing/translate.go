package pricing

import (
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/topology"
)

// translate is a graph that looks the same from every node, with every circuit u->v turned into
// u->v+t for one translation t of its symmetry group. It is stored as the circuits of node 0
// until a plan needs all: a torus has as many translates as nodes, and nearly all of them are too
// slow for a step.
type translate struct {
	of        *topology.Graph
	group     topology.Translations // moves node 0 to every node
	by        int
	To, count []int32 // of node 0, ascending, without a loop
}

// NewTranslate moves the target of every circuit of a graph by element by of its group.
func NewTranslate(of *topology.Graph, group topology.Translations, by int) *translate {
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
		t.To, t.count = append(t.To, c.to), append(t.count, c.count)
	}
	return t
}

// String identifies a translate among those of one graph.
func (t *translate) String() string {
	if t == nil {
		return ""
	}
	return fmt.Sprint(t.To, t.count)
}

// Graph returns the circuits of all nodes.
func (t *translate) Graph() *topology.Graph {
	edges := make([]topology.Edge, 0, t.of.Bundles())
	for e := range t.of.Edges() {
		if to := t.group.Apply(t.by, e.To); to != e.From {
			edges = append(edges, topology.Edge{From: e.From, To: to, Count: e.Count})
		}
	}
	return topology.New(t.of.Nodes(), fmt.Sprintf("%s shifted by %d", t.of.Name(), t.by), edges)
}

func (t *translate) floors() *flow.Floors { return flow.TranslateFloors(t.group, t.To, t.count) }
