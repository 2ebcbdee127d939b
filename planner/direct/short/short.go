package short

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"github.com/lightpath-net/lightpath/topology"
)

// text has a line for every graph: nodes, degree, diameter, whether it is two-way, turns, moves and
// seed of the search that found it, and its name.
//
//go:embed graphs.txt
var text string

// Task describes a search. It depends on nothing else, so it finds the same graph again.
type Task struct {
	Nodes, Degree, Diameter int
	// TwoWay says that circuits lead both ways. Then Turns is 1.
	TwoWay bool
	// Turns is the order of a symmetry that the graph has, 1 if it has none. The first nodes, as
	// many as Turns divides, turn by one Turns-th of a circle; circuits turn with them. The last
	// few stay where they are. So there are fewer graphs to search, and each takes less work.
	Turns int
	// Moves is the number of exchanges to try.
	Moves int
	// Seed selects the exchanges. Searches with odd seeds begin with a random graph, others with a
	// generalised Kautz graph, if that is not to have a symmetry.
	Seed int
}

// Graph is a stored graph and the search that found it.
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
