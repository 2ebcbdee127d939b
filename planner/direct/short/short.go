package short

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"github.com/lightpath-net/lightpath/topology"
)

// text has a line for every graph: nodes, degree, diameter, moves and seed of the search that found
// it, and its name.
//
//go:embed graphs.txt
var text string

// Graph is a stored graph.
type Graph struct {
	Task
	Expr topology.Expr
}

// All returns the stored graphs.
var All = sync.OnceValue(func() []Graph {
	var all []Graph
	for line := range strings.Lines(text) {
		var g Graph
		var name string
		if _, err := fmt.Sscan(line, &g.Nodes, &g.Degree, &g.Diameter, &g.Turns, &g.Moves, &g.Seed, &name); err != nil {
			panic(fmt.Sprintf("short: %q: %v", line, err))
		}
		expr, err := topology.ParseExpr(name)
		if err != nil {
			panic(fmt.Sprintf("short: %q: %v", line, err))
		}
		g.Expr = expr
		all = append(all, g)
	}
	return all
})

// Of returns the stored graph of a size and degree; ok is false if there is none.
func Of(nodes, degree int) (expr topology.Expr, ok bool) {
	for _, g := range All() {
		if g.Nodes == nodes && g.Degree == degree {
			return g.Expr, true
		}
	}
	return topology.Expr{}, false
}

// Line writes the graph as a line of text.
func (g Graph) Line() string {
	return fmt.Sprintln(g.Nodes, g.Degree, g.Diameter, g.Turns, g.Moves, g.Seed, g.Expr)
}

// graphOf returns the graph of the circuits that Find lists, and its name.
func graphOf(t Task, to []int) (*topology.Graph, topology.Expr) {
	edges := make([]topology.Edge, len(to))
	for i, v := range to {
		edges[i] = topology.Edge{From: i / t.Degree, To: v, Count: 1}
	}
	g := topology.New(t.Nodes, "short", edges)
	same := t.Nodes // it looks the same when all nodes are moved by so many
	if t.Nodes%t.Turns == 0 {
		same /= t.Turns
	}
	if expr, ok := topology.CodeOf(g, same); ok {
		return g, expr
	}
	return g, topology.LiftOf(g, same)
}
