package short

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/topology"
)

var (
	search = flag.Bool("search", false, "search for the wanted graphs that are not stored, and add them")
	output = flag.String("output", "graphs.txt", "file to write all to")
	degree = flag.Int("degree", 0, "search only for graphs of this degree; 0: of any")
	both   = flag.Bool("both-ways", false, "search only for graphs of two-way circuits")
	seeds  = flag.Int("seeds", 40, "searches for each graph and symmetry")
	first  = flag.Int("first", 1, "first seed")
	moves  = flag.Int("moves", 400_000, "exchanges that a search tries")
	until  = flag.Duration("until", time.Hour, "begin no search after this time")
	given  = flag.String("given", "", "run these one-way tasks instead, six numbers each, and add their graphs")
)

// wanted lists numbers of nodes for which other known graphs have larger diameters than for some
// larger number, with the degree and the diameter of that.
var wanted = []struct {
	degree, diameter int
	twoWay           bool
	nodes            []int
}{
	{2, 5, false, []int{37, 39, 41, 43, 45, 47, 49}},
	{2, 6, false, []int{65, 67, 69, 71, 73, 75, 77, 79, 81, 83, 85, 86, 87, 89, 90, 91, 93, 94, 95}},
	{3, 3, false, []int{29, 30, 31, 32, 34, 35}},
	{3, 4, false, []int{82, 83, 85, 86, 88, 89, 90, 91, 92, 94, 95, 97, 98, 100, 101, 102, 103, 104, 105, 106, 107}},
	{4, 2, false, []int{18, 19}}, {4, 3, false, []int{66, 67, 69, 70, 71, 73, 74, 75, 76, 77, 78, 79}},
	{5, 2, false, []int{27, 28, 29}}, {5, 3, false, []int{127, 128}},
	{6, 2, false, []int{37, 38, 39, 40, 41}}, {7, 2, false, []int{51, 52, 53, 54, 55}}, {8, 2, false, []int{65, 66, 67, 68, 69, 70, 71}},
	{3, 2, true, []int{9}}, {3, 3, true, []int{17, 19}}, {3, 4, true, []int{33, 35, 36, 37}}, {3, 5, true, []int{47, 49, 53, 55, 57, 58, 59}}, {3, 6, true, []int{91, 92, 93, 95}},
	{4, 3, true, []int{37, 38}}, {4, 4, true, []int{61, 67, 71, 73, 75, 77}},
	{5, 2, true, []int{23}}, {5, 3, true, []int{51, 53, 55, 57, 59}},
	{6, 2, true, []int{31}},
	{7, 2, true, []int{33, 35, 37, 38, 39, 41, 42, 43, 44, 45, 46, 47, 48, 49}},
	{8, 2, true, []int{37, 41, 43, 47, 49}},
}

// missing returns the wanted graphs that are not stored.
func missing() []Task {
	var all []Task
	for _, w := range wanted {
		for _, n := range w.nodes {
			if _, ok := Of(n, w.degree, w.twoWay); !ok {
				all = append(all, Task{Nodes: n, Degree: w.degree, Diameter: w.diameter, TwoWay: w.twoWay})
			}
		}
	}
	return all
}

// longest is the length of the longest names. Plan files have topologies with up to 1000 bytes in
// their names, also for Line(G,k).
const longest = 980

// turns lists the symmetries that a graph may have, the largest first.
func turns(t Task) []int {
	var all []int
	for m := t.Nodes / 2; m > 0; m-- {
		if m == 1 || !t.TwoWay && (t.Nodes%m == 0 || t.Degree%m == 0) {
			all = append(all, m)
		}
	}
	return all
}

// TestSearch searches for the wanted graphs and writes those that it finds. Without -search it runs
// brief searches.
func TestSearch(t *testing.T) {
	if !*search {
		for _, task := range []Task{
			{Nodes: 14, Degree: 3, Diameter: 3, Turns: 1}, {Nodes: 14, Degree: 3, Diameter: 3, Turns: 2},
			{Nodes: 14, Degree: 3, Diameter: 3, Turns: 3}, // two nodes stay where they are
			{Nodes: 14, Degree: 3, Diameter: 3, Turns: 7},
			{Nodes: 14, Degree: 3, Diameter: 3, TwoWay: true, Turns: 1}, {Nodes: 15, Degree: 3, Diameter: 3, TwoWay: true, Turns: 1},
		} {
			task.Moves = 2000
			found := 0
			for task.Seed = range 20 {
				if g, _, ok := Find(task); ok {
					found++
					if !fits(g, task) {
						t.Errorf("%+v: %v", task, g)
					}
				}
			}
			if found == 0 {
				t.Errorf("%+v: none", task)
			}
		}
		return
	}
	found := All()
	var lock sync.Mutex
	tasks := make(chan Task)
	begin := time.Now()
	go func() {
		defer close(tasks)
		for words := strings.Fields(*given); len(words) >= 6; words = words[6:] {
			var task Task
			numbers := strings.Join(words[:6], " ")
			if _, err := fmt.Sscan(numbers, &task.Nodes, &task.Degree, &task.Diameter, &task.Turns, &task.Moves, &task.Seed); err != nil {
				t.Error(err)
			}
			tasks <- task
		}
		if *given != "" {
			return
		}
		all := missing()
		for seed := *first; seed < *first+*seeds; seed++ {
			for _, task := range all {
				for _, m := range turns(task) {
					if (*degree == 0 || task.Degree == *degree) && (!*both || task.TwoWay) {
						task.Turns, task.Seed, task.Moves = m, seed, *moves
						tasks <- task
					}
				}
			}
		}
	}()
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for task := range tasks {
				same := func(g Graph) bool { return g.Nodes == task.Nodes && g.Degree == task.Degree && g.TwoWay == task.TwoWay }
				lock.Lock()
				done := slices.ContainsFunc(found, same) || time.Since(begin) > *until
				lock.Unlock()
				if done {
					continue
				}
				_, expr, ok := Find(task)
				if !ok || len(expr.String()) > longest {
					continue
				}
				lock.Lock()
				if !slices.ContainsFunc(found, same) {
					found = append(found, Graph{task, expr})
					t.Log(task)
					write(t, found)
				}
				lock.Unlock()
			}
		})
	}
	all.Wait()
	t.Log(time.Since(begin))
}

// fits reports whether a graph has the degree and the diameter of a task, and no node has a circuit
// to itself, but for an unused port of the last node.
func fits(g *topology.Graph, t Task) bool {
	for v := range g.Nodes() {
		idle := 0
		if t.TwoWay && v == t.Nodes-1 {
			idle = t.Nodes * t.Degree % 2
		}
		if g.Count(v, v) != idle {
			return false
		}
	}
	far, ok := g.Diameter()
	return ok && far <= t.Diameter && g.Nodes() == t.Nodes && g.Degree() == t.Degree && g.Regular() && (!t.TwoWay || g.Bidirectional())
}

// write writes graphs, sorted by degree and nodes.
func write(t *testing.T, all []Graph) {
	way := func(g Graph) int {
		if g.TwoWay {
			return 2
		}
		return 1
	}
	slices.SortFunc(all, func(a, b Graph) int { return cmp.Or(cmp.Compare(way(a), way(b)), a.Degree-b.Degree, a.Nodes-b.Nodes) })
	var lines strings.Builder
	for _, g := range all {
		lines.WriteString(g.Line())
	}
	if err := os.WriteFile(*output, []byte(lines.String()), 0o644); err != nil {
		t.Fatal(err)
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
		if len(s.Expr.String()) > longest {
			t.Errorf("%v: its name is too long", s.Task)
		}
		if !fits(g, s.Task) {
			far, _ := g.Diameter()
			t.Errorf("%v: %d nodes of degree %d, diameter %d", s.Task, g.Nodes(), g.Degree(), far)
		}
		if expr, ok := Of(s.Nodes, s.Degree, s.TwoWay); !ok || expr.String() != s.Expr.String() {
			t.Errorf("%v: found %v", s.Task, expr)
		}
		if s.Moves > 100_000 && !samples.Every() {
			continue
		}
		again++
		if _, expr, _ := Find(s.Task); expr.String() != s.Expr.String() {
			t.Errorf("%v: the search gives %v", s.Task, expr)
		}
	}
	if again == 0 {
		t.Error("no search was repeated")
	}
}
