package short

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"github.com/lightpath-net/lightpath/topology"
)

// text has a line for every graph: nodes, degree, diameter, whether it is two-way, turns, moves and seed of the search that found
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
		if _, err := fmt.Sscan(line, &g.Nodes, &g.Degree, &g.Diameter, &g.TwoWay, &g.Turns, &g.Moves, &g.Seed, &name); err != nil {
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
func Of(nodes, degree int, twoWay bool) (expr topology.Expr, ok bool) {
	for _, g := range All() {
		if g.Nodes == nodes && g.Degree == degree && g.TwoWay == twoWay {
			return g.Expr, true
		}
	}
	return topology.Expr{}, false
}

// Line writes the graph as a line of text.
func (g Graph) Line() string {
	return fmt.Sprintln(g.Nodes, g.Degree, g.Diameter, g.TwoWay, g.Turns, g.Moves, g.Seed, g.Expr)
}
