package arrival

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/topology"
)

// wanted is a row of Zhao et al., Table 9, for a graph that the paper only draws.
type wanted struct {
	expr             string
	nodes, degree    int
	steps            int // the latency of its bandwidth-optimal allgather
	reverseSymmetric bool
}

var table9 = []wanted{
	{"Diamond", 8, 2, 3, false},
	{"DBJMod(2,3)", 8, 2, 4, true},
	{"DBJMod(2,4)", 16, 2, 5, false},
	{"DBJMod(3,2)", 9, 3, 3, false},
	{"DBJMod(4,2)", 16, 4, 3, false},
}

// found is a graph with all wanted properties, and the proof: times of arrival for an allgather
// on the graph and for one on its transpose, which run backwards is a reduce-scatter on the
// graph.
type found struct {
	expr          string
	graph         *topology.Graph
	times, turned Times
}

// seed makes searches repeatable. This one makes them short.
const seed = 5

// meets looks for the proof that g is the wanted graph. The paper counts both halves of an
// allreduce (Table 4), so both directions must have an allgather of the stated latency that is
// bandwidth-optimal; and Table 9 says that it is not the breadth-first one. Cheap conditions
// are checked first.
func (w wanted) meets(ctx context.Context, g *topology.Graph) (found, bool, error) {
	turned := g.Transpose("")
	f := found{expr: w.expr, graph: g}
	if !w.shape(g) || !possible(g, w.steps) || !possible(turned, w.steps) {
		return f, false, nil
	}
	if eager, err := Eager(g); err != nil || eager.Check(g) == nil {
		return f, false, nil
	}
	if symmetric, err := g.ReverseSymmetric(ctx); err != nil || symmetric != w.reverseSymmetric {
		return f, false, err
	}
	var ok bool
	var err error
	if f.times, ok, err = Search(ctx, g, w.steps, seed); err != nil || !ok {
		return f, false, err
	}
	f.turned, ok, err = Search(ctx, turned, w.steps, seed)
	return f, ok, err
}

// find searches for the graph.
func (w wanted) find(ctx context.Context) (found, error) {
	var d, n int
	if _, err := fmt.Sscanf(w.expr, "DBJMod(%d,%d)", &d, &n); err != nil {
		return diamond(ctx, w)
	}
	return modifiedDeBruijn(ctx, w, d, n)
}

// shape reports whether g is a regular graph of the right size, without self-loops and
// parallel circuits, and of a diameter that the steps allow.
func (w wanted) shape(g *topology.Graph) bool {
	if g.Nodes() != w.nodes || !g.Regular() || g.Degree() != w.degree || g.Bundles() != w.nodes*w.degree {
		return false
	}
	for u := range g.Nodes() {
		if g.Find(u, u) >= 0 {
			return false
		}
	}
	diameter, connected := g.Diameter()
	return connected && diameter <= w.steps
}

func possible(g *topology.Graph, steps int) bool {
	for counts := range Candidates(g, steps) {
		if Possible(g, counts) {
			return true
		}
	}
	return false
}
