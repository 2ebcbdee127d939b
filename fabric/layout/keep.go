package layout

import (
	"slices"

	"github.com/lightpath-net/lightpath/topology"
)

// Keep returns the graph without circuits that cannot be set up in addition to those before
// them, in the order of its edges. If all can be set up, it returns the graph itself.
func (p *Plugging) Keep(g *topology.Graph, twoWay bool) *topology.Graph {
	if p.Check(g, twoWay) == nil {
		return g
	}
	used := make(map[[3]int]int) // ports by GPU, switch, and 1 for receive fibres
	each := map[[2]int]int{}     // ports by GPU and switch
	for i, s := range p.at {
		if s >= 0 {
			each[[2]int{i / p.ports, int(s)}]++
		}
	}
	receive := 1
	if twoWay {
		receive = 0
	}
	kept := map[[2]int]int{}
	for e := range g.Edges() {
		if twoWay && e.From > e.To {
			continue
		}
		for b := range p.common(e.From, e.To) {
			for _, s := range p.bundles[b].switches {
				from, to := [3]int{e.From, s, 0}, [3]int{e.To, s, receive}
				room := min(each[[2]int{e.From, s}]-used[from], each[[2]int{e.To, s}]-used[to], e.Count-kept[[2]int{e.From, e.To}])
				if room <= 0 {
					continue
				}
				used[from] += room
				if from != to {
					used[to] += room
				}
				kept[[2]int{e.From, e.To}] += room
			}
		}
	}
	var edges []topology.Edge
	for pair, count := range kept {
		edges = append(edges, topology.Edge{From: pair[0], To: pair[1], Count: count})
		if twoWay && pair[0] != pair[1] {
			edges = append(edges, topology.Edge{From: pair[1], To: pair[0], Count: count})
		}
	}
	slices.SortFunc(edges, func(a, b topology.Edge) int {
		return slices.Compare([]int{a.From, a.To}, []int{b.From, b.To})
	})
	return topology.New(g.Nodes(), g.Name()+"-plugged", edges)
}
