package stored_test

import (
	"cmp"
	"flag"
	"fmt"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/planner/direct/climb"
	"github.com/lightpath-net/lightpath/planner/direct/finder"
	"github.com/lightpath-net/lightpath/planner/direct/stored"
	"github.com/lightpath-net/lightpath/topology"
)

var (
	search   = flag.Bool("search", false, "search for graphs and write those that are of use, with those that are stored")
	output   = flag.String("output", "graphs.txt", "file to write them to")
	more     = flag.String("more", "", "files of further graphs, separated by commas, that another search has written")
	ways     = flag.String("ways", "one,two,gather", "search for graphs of these ways; gather: one-way ones for an allgather alone")
	fewest   = flag.Int("fewest", 2, "search from this degree on")
	most     = flag.Int("most", 8, "search up to this degree")
	effort   = flag.Int("effort", 200, "work of each search, about milliseconds; 0: do not search")
	firstTry = flag.Int("seed", 1, "seed of the first search of a kind; the others have the next")
	smallest = flag.Int("smallest", 4, "search for graphs from so many nodes on")
	largest  = flag.Int("largest", 64, "search for graphs of up to so many nodes")
	patient  = flag.Bool("patient", false, "make only searches that lose nothing")
	slower   = flag.Int("slower", 6, "steps beyond the fewest for which graphs are searched")
)

// TestSearch searches, for every number of nodes, degree and way, for graphs that take less
// bandwidth in some number of steps than all that the finder knows. It writes the results after
// every size. They depend only on its flags and on the stored graphs. Without -search it runs a
// brief search on few nodes, ignores the stored graphs, and must find the stored graph of 9
// nodes.
func TestSearch(t *testing.T) {
	known := stored.All()
	if !*search {
		known = nil
		*output, *ways, *most, *largest, *effort = filepath.Join(t.TempDir(), "graphs.txt"), "one", 2, 9, 200
		defer foundNine(t)
	}
	for _, name := range strings.FieldsFunc(*more, func(r rune) bool { return r == ',' }) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		graphs, err := stored.Read(string(text))
		if err != nil {
			t.Fatal(err)
		}
		known = append(known, graphs...)
	}
	cells := map[cell][]stored.Graph{}
	for _, g := range known {
		c := cellOf(g)
		cells[c] = append(cells[c], g)
	}
	for _, way := range []string{"one", "two", "gather"} {
		for degree := 2; degree <= climb.MaxDegree; degree++ {
			wanted := *effort > 0 && strings.Contains(*ways, way) && degree >= *fewest && degree <= *most
			f := finder.New(degree, cell{twoWay: way == "two", gather: way == "gather"}.options())
			for nodes := degree + 2; nodes <= mostNodes; nodes++ {
				c := cell{way == "two", way == "gather", degree, nodes}
				asked := wanted && nodes >= *smallest && nodes <= *largest
				if asked || len(cells[c]) > 0 {
					rivals := cells[cell{degree: degree, nodes: nodes}]
					if !c.gather {
						rivals = nil
					}
					cells[c] = c.improve(t, f, cells[c], rivals, asked)
				}
				if asked {
					write(t, cells)
				}
			}
		}
	}
	write(t, cells)
}

// mostNodes is the size of the largest graphs that are stored.
const mostNodes = 64

// foundNine checks that a search found graphs of 9 nodes as good as the stored ones.
func foundNine(t *testing.T) {
	t.Helper()
	text, err := os.ReadFile(*output)
	if err != nil {
		t.Fatal(err)
	}
	found, err := stored.Read(string(text))
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, want := range stored.All() {
		if want.Nodes != 9 || want.Degree != 2 || want.TwoWay {
			continue
		}
		compared++
		if !slices.ContainsFunc(found, func(g stored.Graph) bool {
			return g.Nodes == 9 && g.Degree == 2 && g.Steps <= want.Steps && g.Bandwidth.Cmp(want.Bandwidth) <= 0
		}) {
			t.Errorf("nothing as good as %s was found", want.Line())
		}
	}
	if compared == 0 {
		t.Error("no graph of 9 nodes is stored")
	}
}

// cell identifies graphs that can replace each other.
type cell struct {
	twoWay, gather bool
	degree, nodes  int
}

func cellOf(g stored.Graph) cell { return cell{g.TwoWay, g.Task.Gather, g.Degree, g.Nodes} }

// options returns the options of a finder that does not use the stored graphs.
func (c cell) options() finder.Options {
	opts := finder.Options{Op: bfb.AllReduce, Bidirectional: c.twoWay, Unstored: true}
	if c.gather {
		opts.Op = bfb.AllGather
	}
	return opts
}

// halves returns 1 for an allgather, and 2 for an allreduce (a reduce-scatter and an allgather).
func (c cell) halves() int {
	if c.gather {
		return 1
	}
	return 2
}

func write(t *testing.T, cells map[cell][]stored.Graph) {
	t.Helper()
	var all []stored.Graph
	for _, graphs := range cells {
		all = append(all, graphs...)
	}
	writeGraphs(t, *output, all)
	replaced := slices.DeleteFunc(slices.Concat(stored.All(), stored.AllGrouped()), func(g stored.Graph) bool {
		return g.Task.Gather || slices.ContainsFunc(cells[cellOf(g)], func(o stored.Graph) bool { return o.Expr.String() == g.Expr.String() })
	})
	writeGraphs(t, filepath.Join(filepath.Dir(*output), "grouped.txt"), replaced)
}

// writeGraphs writes graphs in the order of the file.
func writeGraphs(t *testing.T, name string, all []stored.Graph) {
	t.Helper()
	slices.SortStableFunc(all, func(a, b stored.Graph) int {
		x, y := cellOf(a), cellOf(b)
		return cmp.Or(boolOrder(x.gather, y.gather), boolOrder(x.twoWay, y.twoWay), x.degree-y.degree, x.nodes-y.nodes, a.Steps-b.Steps)
	})
	var lines []string
	for _, g := range all {
		lines = append(lines, g.Line()+"\n")
	}
	if err := os.WriteFile(name, []byte(strings.Join(lines, "")), 0o644); err != nil {
		t.Fatal(err)
	}
}

func boolOrder(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// improve returns the graphs, known or found by a search, that take less bandwidth in some
// number of steps than the rivals and all graphs of the finder.
func (c cell) improve(t *testing.T, f *finder.Finder, known, rivals []stored.Graph, asked bool) []stored.Graph {
	t.Helper()
	points, err := f.Frontier(t.Context(), c.nodes)
	if err != nil {
		t.Fatal(err)
	}
	var costs []finder.Cost
	for _, p := range points {
		costs = append(costs, p.Cost)
	}
	costs = append(costs, gathers(t, rivals)...)
	bound, err := finder.Bound(c.nodes, c.degree, c.options())
	if err != nil {
		t.Fatal(err)
	}
	least := bound.Steps / c.halves()
	var kept []stored.Graph
	var target *big.Rat
	for diameter := least; diameter <= least+*slower || len(known) > 0; diameter++ {
		for _, p := range costs {
			if p.Steps <= c.halves()*diameter && (target == nil || p.Bandwidth.Cmp(target) < 0) {
				target = p.Bandwidth
			}
		}
		var best *stored.Graph
		better := func(g stored.Graph) {
			if target == nil || g.Bandwidth.Cmp(target) < 0 {
				target, best = g.Bandwidth, &g
			}
		}
		known = slices.DeleteFunc(known, func(g stored.Graph) bool {
			if g.Steps <= c.halves()*diameter {
				better(g)
				return true
			}
			return false
		})
		if asked && (target == nil || target.Cmp(bound.Bandwidth) > 0) && diameter <= least+*slower {
			c.climb(t, diameter, func() *big.Rat { return target }, better)
		}
		if best != nil {
			kept = append(kept, *best)
		}
		if target != nil && target.Cmp(bound.Bandwidth) == 0 {
			break
		}
	}
	return kept
}

// gathers returns the costs of allgathers on the graphs that are stored for allreduces, and on
// their transposes.
func gathers(t *testing.T, graphs []stored.Graph) (costs []finder.Cost) {
	t.Helper()
	for _, r := range graphs {
		g, err := r.Expr.Build()
		if err != nil {
			t.Fatal(err)
		}
		for _, op := range []bfb.Op{bfb.AllGather, bfb.ReduceScatter} {
			steps, bandwidth, err := bfb.Cost(t.Context(), g, op)
			if err != nil {
				t.Fatal(err)
			}
			costs = append(costs, finder.Cost{Steps: steps, Bandwidth: bandwidth})
		}
	}
	return costs
}

// climb searches for graphs of a diameter, for every width: first with short searches, then with
// longer ones, cycling through all kinds.
func (c cell) climb(t *testing.T, diameter int, target func() *big.Rat, better func(stored.Graph)) {
	t.Helper()
	bound, err := finder.Bound(c.nodes, c.degree, c.options())
	if err != nil {
		t.Fatal(err)
	}
	for width := 1; width <= c.nodes; width++ {
		turns := c.nodes / width
		odd := c.twoWay && width*c.degree%2 == 1 && turns%2 == 1
		if c.nodes%width != 0 || odd && turns > 1 {
			continue
		}
		task := climb.Task{Nodes: c.nodes, Degree: c.degree, TwoWay: c.twoWay, Gather: c.gather,
			Width: width, Diameter: diameter, Enough: bound.Bandwidth}
		left := c.moves(task)
		for again := 0; left > 0; again++ {
			if x := target(); x != nil && x.Cmp(bound.Bandwidth) == 0 {
				return
			}
			task.Moves = min(left, max(1000, each*width*c.degree)<<min(again/len(kinds), longer))
			kind := kinds[again%len(kinds)]
			if *patient {
				kind = kinds[len(kinds)-1-again%patientKinds]
			}
			task.Seed, task.Far, task.Heat, task.Patience = uint64(*firstTry+again), kind.far, kind.heat, kind.patience
			c.try(t, task, target, better)
			left -= task.Moves
		}
	}
}

// kinds lists the settings of searches: the penalty for pairs that are too far apart, the heat
// and the patience.
var kinds = []struct{ far, heat, patience int }{
	{climb.DefaultFar, climb.DefaultHeat, 0}, {16 * climb.DefaultFar, climb.DefaultHeat, 0}, {climb.DefaultFar, 1, 0}, {16 * climb.DefaultFar, 1, 0},
	{climb.DefaultFar, 1, 1500}, {climb.DefaultFar / 4, 1, 4000}, {climb.DefaultFar / 4, 1, 1500},
}

// patientKinds is the number of kinds, the last ones, that have patience.
const patientKinds = 3

// each is the number of moves, per circuit that can differ, after which a search ends and another
// one begins. It doubles up to longer times for longer searches.
const (
	each   = 100
	longer = 5
)

// try makes one search.
func (c cell) try(t *testing.T, task climb.Task, target func() *big.Rat, better func(stored.Graph)) {
	t.Helper()
	found, err := climb.Climb(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}
	if found == nil || target() != nil && found.Bandwidth.Cmp(target()) >= 0 {
		return
	}
	expr, ok := topology.CodeOf(found.Graph, task.Width)
	if !ok {
		t.Errorf("%+v: no code", task)
		return
	}
	if task.Patience > 0 {
		task.Moves = found.Moves // further ones change nothing
	}
	fmt.Println(c, found.Steps, found.Bandwidth, expr)
	better(stored.Graph{Nodes: c.nodes, Degree: c.degree, TwoWay: c.twoWay, Steps: found.Steps, Bandwidth: found.Bandwidth, Task: task, Expr: expr})
}

// moves returns the number of moves that the effort allows: a measurement takes about two
// nanoseconds for every set of circuits into a node and for every circuit, in every step.
func (c cell) moves(t climb.Task) int {
	halves := 2
	if t.TwoWay || t.Gather {
		halves = 1
	}
	each := halves * t.Width * t.Diameter * (10 + 4*t.Degree + 2<<t.Degree)
	limit := math.MaxInt
	if t.Width < 4 {
		limit = 4000 * t.Width * t.Degree // there are few others
	}
	return max(1000, min(*effort*1_000_000/each, limit))
}
