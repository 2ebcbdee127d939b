package stored_test

import (
	"cmp"
	"flag"
	"fmt"
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
	ways     = flag.String("ways", "one,two", "search for graphs of these ways")
	fewest   = flag.Int("fewest", 2, "search from this degree on")
	most     = flag.Int("most", 8, "search up to this degree")
	effort   = flag.Int("effort", 200, "work of each search, about milliseconds; 0: do not search")
	firstTry = flag.Int("seed", 1, "seed of the first search of a kind; the others have the next")
	largest  = flag.Int("largest", 64, "search for graphs of up to so many nodes")
)

// TestSearch searches for every number of nodes, degree and way for the graphs that take less
// bandwidth in some number of steps than what the finder knows. It writes what it has after every
// size. It depends on nothing but its flags and on what is stored. Where it is not asked to, it
// searches for a moment among few nodes, from nothing: that must find the stored graph of 9 nodes.
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
		c := cell{g.TwoWay, g.Degree, g.Nodes}
		cells[c] = append(cells[c], g)
	}
	for _, way := range []string{"one", "two"} {
		for degree := 2; degree <= climb.MaxDegree; degree++ {
			asked := *effort > 0 && strings.Contains(*ways, way) && degree >= *fewest && degree <= *most
			f := finder.New(degree, finder.Options{Op: bfb.AllReduce, Bidirectional: way == "two", Unstored: true})
			for nodes := degree + 2; nodes <= *largest; nodes++ {
				c := cell{way == "two", degree, nodes}
				if asked || len(cells[c]) > 0 {
					cells[c] = c.improve(t, f, cells[c], asked)
				}
				if asked {
					write(t, cells)
				}
			}
		}
	}
	write(t, cells)
}

// foundNine checks that a search found graphs of 9 nodes as good as what is stored.
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

// cell is what graphs must have in common to replace each other.
type cell struct {
	twoWay        bool
	degree, nodes int
}

func write(t *testing.T, cells map[cell][]stored.Graph) {
	t.Helper()
	var lines []string
	for _, c := range slices.SortedFunc(keys(cells), func(a, b cell) int {
		return cmp.Or(boolOrder(a.twoWay, b.twoWay), a.degree-b.degree, a.nodes-b.nodes)
	}) {
		for _, g := range cells[c] {
			lines = append(lines, g.Line()+"\n")
		}
	}
	if err := os.WriteFile(*output, []byte(strings.Join(lines, "")), 0o644); err != nil {
		t.Fatal(err)
	}
}

func keys(cells map[cell][]stored.Graph) func(func(cell) bool) {
	return func(yield func(cell) bool) {
		for c := range cells {
			if !yield(c) {
				return
			}
		}
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

// improve returns the graphs that take less bandwidth in some number of steps than what the finder
// knows, of those that are known and those that a search finds.
func (c cell) improve(t *testing.T, f *finder.Finder, known []stored.Graph, asked bool) []stored.Graph {
	t.Helper()
	points, err := f.Frontier(t.Context(), c.nodes)
	if err != nil {
		t.Fatal(err)
	}
	bound, err := finder.Bound(c.nodes, c.degree, finder.Options{Op: bfb.AllReduce, Bidirectional: c.twoWay})
	if err != nil {
		t.Fatal(err)
	}
	const slower = 6 // diameters beyond the least that are tried
	var kept []stored.Graph
	var target *big.Rat
	for diameter := bound.Steps / 2; diameter <= bound.Steps/2+slower || len(known) > 0; diameter++ {
		for _, p := range points {
			if p.Steps <= 2*diameter && (target == nil || p.Bandwidth.Cmp(target) < 0) {
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
			if g.Steps <= 2*diameter {
				better(g)
				return true
			}
			return false
		})
		if asked && (target == nil || target.Cmp(bound.Bandwidth) > 0) && diameter <= bound.Steps/2+slower {
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

// climb searches for graphs of a diameter, of every width.
func (c cell) climb(t *testing.T, diameter int, target func() *big.Rat, better func(stored.Graph)) {
	t.Helper()
	bound, err := finder.Bound(c.nodes, c.degree, finder.Options{Op: bfb.AllReduce, Bidirectional: c.twoWay})
	if err != nil {
		t.Fatal(err)
	}
	for width := 1; width <= c.nodes; width++ {
		turns := c.nodes / width
		odd := c.twoWay && width*c.degree%2 == 1 && turns%2 == 1
		if c.nodes%width != 0 || odd && turns > 1 {
			continue
		}
		task := climb.Task{Nodes: c.nodes, Degree: c.degree, TwoWay: c.twoWay, Width: width, Diameter: diameter, Enough: bound.Bandwidth}
		total := c.moves(task)
		task.Moves = min(total, max(1000, each*width*c.degree))
		for again := range max(1, total/task.Moves) {
			if x := target(); x != nil && x.Cmp(bound.Bandwidth) == 0 {
				return
			}
			task.Seed = uint64(*firstTry + again)
			c.try(t, task, target, better)
		}
	}
}

// each is how many moves a search makes for every circuit that can differ before another begins
// anew.
const each = 100

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
	fmt.Println(c, found.Steps, found.Bandwidth, expr)
	better(stored.Graph{Nodes: c.nodes, Degree: c.degree, TwoWay: c.twoWay, Steps: found.Steps, Bandwidth: found.Bandwidth, Task: task, Expr: expr})
}

// moves is how many moves the effort allows: a measurement takes about a nanosecond for every
// circuit, node and set of circuits that it looks at.
func (c cell) moves(t climb.Task) int {
	halves := 2
	if t.TwoWay {
		halves = 1
	}
	sets := 1 << t.Degree * t.Degree * 7 / 10
	each := halves * t.Width * (2*t.Nodes*t.Degree + t.Diameter*(sets+t.Nodes) + 100)
	limit := 200_000
	if t.Width < 4 {
		limit = 4000 * t.Width * t.Degree
	}
	return max(1000, min(*effort*1_000_000/each, limit))
}
