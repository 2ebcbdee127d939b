package climb

import (
	"math/big"

	"github.com/lightpath-net/lightpath/topology"
)

// Measure returns the steps of a breadth-first-broadcast allgather on a graph and its time in
// shards over one circuit, without making a schedule of it, and false if more than so many steps
// are needed or a node has more than MaxDegree ports.
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

// samples are nodes that tell whether the others are worth looking at.
const samples = 8

// mostBalls is the number of nodes up to which the square of it in bits is not too much.
const mostBalls = 1 << 14

// entering lists for every node where its circuits come from, -1 in slots that have none.
func entering(g *topology.Graph, degree int) []int32 {
	lists := make([]int32, g.Nodes()*degree)
	for i := range lists {
		lists[i] = empty
	}
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
