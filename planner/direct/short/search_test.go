package short

import (
	"fmt"
	"math/bits"
	"math/rand/v2"

	"github.com/lightpath-net/lightpath/topology"
)

// MostNodes is the size of the largest graphs.
const MostNodes = 64

// A move that loses as many pairs as the heat is accepted every second time, one that loses twice
// as many every fourth time, and so on. The heat falls from hot to cold, in units of a unit-th of a
// pair. All numbers are integers, so that they are the same on every machine.
const (
	unit = 64
	hot  = 90
	cold = 9
)

// Find returns where the circuits of a graph lead, Degree of them for every node, so that no node
// is farther from another than the diameter; nil if it finds none.
func Find(t Task) []int {
	random := rand.New(rand.NewPCG(uint64(t.Seed), uint64(t.Nodes)<<16|uint64(t.Degree)))
	n, d := t.Nodes, t.Degree
	to := make([]int, n*d)
	for v := range n {
		for i := range d {
			to[v*d+i] = ((-d*v-1-i)%n + n) % n
		}
	}
	if t.Seed%2 == 1 {
		random.Shuffle(len(to), func(i, j int) { to[i], to[j] = to[j], to[i] })
	}
	far := t.far(to)
	for m := 0; m < t.Moves && far > 0; m++ {
		heat := cold + (hot-cold)*(t.Moves-m)/t.Moves
		a, b := random.IntN(len(to)), random.IntN(len(to))
		if to[a] == to[b] || a/d == b/d {
			continue
		}
		to[a], to[b] = to[b], to[a]
		if next := t.far(to); next <= far || (next-far)*unit <= heat*bits.TrailingZeros64(random.Uint64()) {
			far = next
		} else {
			to[a], to[b] = to[b], to[a]
		}
	}
	if far > 0 {
		return nil
	}
	return to
}

// far returns the number of pairs of nodes that are farther apart than the diameter.
func (t *Task) far(to []int) int {
	var reached, next [MostNodes]uint64
	for v := range t.Nodes {
		reached[v] = 1 << v
	}
	for range t.Diameter {
		for v := range t.Nodes {
			all := uint64(1) << v
			for _, u := range to[v*t.Degree : (v+1)*t.Degree] {
				all |= reached[u]
			}
			next[v] = all
		}
		reached = next
	}
	far := 0
	for v := range t.Nodes {
		far += t.Nodes - bits.OnesCount64(reached[v])
	}
	return far
}

// Line writes the graph as a line of text.
func (g Graph) Line() string {
	return fmt.Sprintln(g.Nodes, g.Degree, g.Diameter, g.Moves, g.Seed, g.Expr.Label)
}

// graphOf returns the graph of the circuits that Find lists.
func graphOf(t Task, to []int) *topology.Graph {
	edges := make([]topology.Edge, len(to))
	for i, v := range to {
		edges[i] = topology.Edge{From: i / t.Degree, To: v, Count: 1}
	}
	return topology.New(t.Nodes, "short", edges)
}
