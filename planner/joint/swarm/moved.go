package swarm

import (
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/topology"
)

// Moved returns the given number of graphs, or as many as there are. The first is g, in which one
// node is short of a two-way circuit. In each of the others another node is short: one end of a
// single circuit has moved from that node to the one that was short before. The circuit leads to
// the farthest node, so that the ends of the next circuits are spread over the graph. All graphs
// are connected. A node that is spared is never made short; -1 spares none.
func Moved(g *topology.Graph, count, spared int) []*topology.Graph {
	peers := make([][]int, g.Nodes())
	most := 0
	for e := range g.Edges() {
		for range e.Count {
			if e.From != e.To {
				peers[e.From] = append(peers[e.From], e.To)
			}
		}
		most = max(most, len(peers[e.From]))
	}
	short := slices.IndexFunc(peers, func(p []int) bool { return len(p) < most })
	all := []*topology.Graph{g}
	for was := map[int]bool{spared: true}; len(all) < count && short >= 0; {
		was[short] = true
		if short = move(peers, short, was); short >= 0 {
			all = append(all, graphOf(peers, fmt.Sprintf("%s, %d moved", g.Name(), len(all))))
		}
	}
	return all
}

// move moves the end of a circuit to the node that is short, from one that has not been short
// before. It returns that node, -1 if there is none.
func move(peers [][]int, short int, was map[int]bool) int {
	hops := make([]int32, len(peers))
	graphOf(peers, "").Distances(short, hops, make([]int32, 0, len(peers)))
	order := arithmetic.UpTo(len(peers))
	slices.SortStableFunc(order, func(u, v int) int { return int(hops[v] - hops[u]) })
	for _, w := range order {
		if w == short {
			continue
		}
		for _, v := range slices.Clone(peers[w]) {
			if was[v] {
				continue
			}
			exchange(peers, v, short, w)
			if graphOf(peers, "").Joins() {
				return v
			}
			exchange(peers, short, v, w)
		}
	}
	return -1
}

// exchange moves the end of a circuit at w from one node to another.
func exchange(peers [][]int, from, to, w int) {
	at := slices.Index(peers[from], w)
	peers[from] = slices.Delete(peers[from], at, at+1)
	peers[to] = append(peers[to], w)
	peers[w][slices.Index(peers[w], from)] = to
}

func graphOf(peers [][]int, name string) *topology.Graph {
	var edges []topology.Edge
	for u, list := range peers {
		for _, v := range list {
			edges = append(edges, topology.Edge{From: u, To: v, Count: 1})
		}
	}
	return topology.New(len(peers), name, edges)
}
