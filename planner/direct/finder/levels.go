package finder

import "github.com/lightpath-net/lightpath/topology"

// levels is a breadth-first search against the circuits. Besides the distance to u it finds,
// for every node, the circuits into u with which a shortest path can end.
type levels struct {
	dist   []int32
	masks  []uint32 // bit i: the i-th node from which a circuit leads to u
	order  []int32  // nodes by ascending distance
	starts []int    // those at distance t are order[starts[t]:starts[t+1]]
}

func newLevels(n int) levels {
	return levels{dist: make([]int32, n), masks: make([]uint32, n), order: make([]int32, 0, n)}
}

// run searches from u in the transposed graph, in. All nodes must be reachable.
func (l *levels) run(in *topology.Graph, u int) {
	l.order = in.Distances(u, l.dist, l.order)
	clear(l.masks)
	l.starts = l.starts[:0]
	for i, v := range l.order {
		if int(l.dist[v]) == len(l.starts) {
			l.starts = append(l.starts, i)
		}
	}
	l.starts = append(l.starts, len(l.order))
	senders, _ := in.Row(u)
	for i, w := range senders {
		l.masks[w] |= 1 << i
	}
	for _, x := range l.order[1:] {
		from, _ := in.Row(int(x))
		for _, v := range from {
			if l.dist[v] == l.dist[x]+1 {
				l.masks[v] |= l.masks[x]
			}
		}
	}
}

// last returns the largest distance.
func (l *levels) last() int { return len(l.starts) - 2 }

// level returns the nodes at distance t.
func (l *levels) level(t int) []int32 { return l.order[l.starts[t]:l.starts[t+1]] }
