package climb

import (
	"math/big"
	"slices"

	"github.com/lightpath-net/lightpath/topology"
)

// Measure returns the steps of a breadth-first-broadcast allgather on a graph, and its time in
// shards over one circuit, without making a schedule. It returns false if the allgather needs
// more than limit steps or a node has more than MaxDegree ports.
func Measure(g *topology.Graph, limit int) (steps int, time *big.Rat, ok bool) {
	n, d := g.Nodes(), g.Degree()
	if d > MaxDegree {
		return 0, nil, false
	}
	m := newMeter(n, d)
	m.peaksOnly = true
	measure := m.gather
	if n > mostBalls {
		measure = m.search
	}
	c := measure(entering(g, d), n, limit)
	if c.missing > 0 {
		return 0, nil, false
	}
	return m.steps(), big.NewRat(c.time, shard), true
}

// Diameter returns the largest distance of two nodes, and false if it is above a limit.
func Diameter(g *topology.Graph, limit int) (int, bool) {
	n := g.Nodes()
	dist, queue := make([]int32, n), make([]int32, 0, n)
	longest := 0
	sources := n
	if n <= mostBalls {
		sources = min(n, samples)
	}
	for u := range sources {
		queue = g.Distances(u, dist, queue)
		if len(queue) < n || int(dist[queue[n-1]]) > limit {
			return 0, false
		}
		longest = max(longest, int(dist[queue[n-1]]))
	}
	if sources == n {
		return longest, true
	}
	return newBalls(n, n).diameter(g, limit)
}

// samples is the number of nodes that Diameter looks at first: they tell whether the others are
// worth it.
const samples = 8

// mostBalls is the largest number of nodes whose square, in bits, is affordable memory.
const mostBalls = 1 << 14

// entering lists, for every node, the nodes that send to it, and -1 in slots without a circuit.
func entering(g *topology.Graph, degree int) []int32 {
	lists := slices.Repeat([]int32{empty}, g.Nodes()*degree)
	next := make([]int, g.Nodes())
	for e := range g.Edges() {
		if e.From == e.To {
			continue
		}
		for range e.Count {
			lists[e.To*degree+next[e.To]] = int32(e.From)
			next[e.To]++
		}
	}
	return lists
}
