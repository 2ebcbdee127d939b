package short

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/topology"
)

var (
	search = flag.Bool("search", false, "search for the wanted graphs and write them")
	output = flag.String("output", "graphs.txt", "file to write them to")
	degree = flag.Int("degree", 0, "search only for graphs of this degree; 0: of any")
	seeds  = flag.Int("seeds", 40, "searches for each graph")
	moves  = flag.Int("moves", 400_000, "exchanges that the first half of the searches try; the others try 10 times as many")
)

// wanted lists numbers of nodes for which line digraphs and generalised Kautz graphs have larger
// diameters than for some larger number, with the degree and the diameter of that.
var wanted = []Task{
	{Nodes: 37, Degree: 2, Diameter: 5}, {Nodes: 39, Degree: 2, Diameter: 5}, {Nodes: 41, Degree: 2, Diameter: 5}, {Nodes: 43, Degree: 2, Diameter: 5},
	{Nodes: 29, Degree: 3, Diameter: 3}, {Nodes: 31, Degree: 3, Diameter: 3}, {Nodes: 32, Degree: 3, Diameter: 3}, {Nodes: 18, Degree: 4, Diameter: 2},
	{Nodes: 34, Degree: 3, Diameter: 3}, {Nodes: 35, Degree: 3, Diameter: 3}, {Nodes: 19, Degree: 4, Diameter: 2}, {Nodes: 27, Degree: 5, Diameter: 2},
}

// TestSearch searches for the wanted graphs and writes those that it finds. Without -search it runs
// a brief search.
func TestSearch(t *testing.T) {
	if !*search {
		task := Task{Nodes: 13, Degree: 3, Diameter: 3, Moves: 1000, Seed: 1}
		if to := Find(task); to == nil || task.far(to) > 0 {
			t.Errorf("%+v: %v", task, to)
		}
		return
	}
	var lines strings.Builder
	for _, task := range wanted {
		if *degree > 0 && task.Degree != *degree {
			continue
		}
		for task.Seed = 1; task.Seed <= *seeds; task.Seed++ {
			if task.Moves = *moves; task.Seed > *seeds/2 {
				task.Moves *= 10
			}
			to := Find(task)
			if to == nil {
				continue
			}
			g := graphOf(task, to)
			code, ok := topology.CodeOf(g, task.Nodes)
			if !ok || !g.Regular() || g.Count(0, 0) > 0 {
				continue
			}
			lines.WriteString(Graph{task, code}.Line())
			t.Log(task)
			if err := os.WriteFile(*output, []byte(lines.String()), 0o644); err != nil {
				t.Fatal(err)
			}
			break
		}
	}
}

// The stored graphs have the degree and the diameter that they say, and the same search finds them
// again. The test repeats only the short searches.
func TestStoredGraphs(t *testing.T) {
	again := 0
	for _, s := range All() {
		g, err := s.Expr.Build()
		if err != nil {
			t.Fatalf("%v: %v", s.Task, err)
		}
		if far, ok := g.Diameter(); !ok || g.Nodes() != s.Nodes || g.Degree() != s.Degree || !g.Regular() || far != s.Diameter {
			t.Errorf("%v: %d nodes of degree %d, diameter %d", s.Task, g.Nodes(), g.Degree(), far)
		}
		if expr, ok := Of(s.Nodes, s.Degree); !ok || expr.String() != s.Expr.String() {
			t.Errorf("%v: found %v", s.Task, expr)
		}
		if s.Moves > 400_000 && !samples.Every() {
			continue
		}
		again++
		if code, ok := topology.CodeOf(graphOf(s.Task, Find(s.Task)), s.Nodes); !ok || code.String() != s.Expr.String() {
			t.Errorf("%v: the search gives %v", s.Task, code)
		}
	}
	if again == 0 {
		t.Error("no search was repeated")
	}
}
