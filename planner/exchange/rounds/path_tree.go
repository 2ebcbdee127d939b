package rounds

import (
	"github.com/lightpath-net/lightpath/planner/exchange/jumpset"
)

// pathTree holds shortest paths from one node over circuits.
type pathTree struct {
	start int
	hops  []int32 // or far
	port  []int32 // of the last hop
	from  []int32 // node before it
	queue []int32
}

func newPathTree(nodes int) *pathTree {
	return &pathTree{start: -1, hops: make([]int32, nodes), port: make([]int32, nodes), from: make([]int32, nodes)}
}

// search finds the paths from a node by breadth-first search, lower ports first.
func (t *pathTree) search(circuits [][]int, start int) {
	for v := range t.hops {
		t.hops[v] = jumpset.Far
	}
	t.start = start
	t.hops[start] = 0
	t.queue = append(t.queue[:0], int32(start))
	for i := 0; i < len(t.queue); i++ {
		u := t.queue[i]
		for p, next := range circuits {
			if v := next[u]; v >= 0 && t.hops[v] == jumpset.Far {
				t.hops[v], t.port[v], t.from[v] = t.hops[u]+1, int32(p), u
				t.queue = append(t.queue, int32(v))
			}
		}
	}
}

// trip returns the path to a node. Circuits are numbered by port and node.
func (t *pathTree) trip(end int) trip {
	hops, n := t.hops[end], len(t.hops)
	way := trip{pair: t.start*n + end, src: int32(t.start), dst: int32(end), ports: make([]int32, hops), circuits: make([]int32, hops)}
	for v := int32(end); hops > 0; v = t.from[v] {
		hops--
		way.ports[hops] = t.port[v]
		way.circuits[hops] = t.port[v]*int32(n) + t.from[v]
	}
	return way
}
