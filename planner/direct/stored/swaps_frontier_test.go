package stored_test

import (
	"flag"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/planner/direct/climb"
	"github.com/lightpath-net/lightpath/planner/direct/finder"
	"github.com/lightpath-net/lightpath/planner/direct/stored"
	"github.com/lightpath-net/lightpath/topology"
)

var (
	swapTime = flag.Duration("swaps", 0, "swap circuits of random graphs for so long and add to "+swapFile+" what came of it")
	swapped  = flag.String("swapped", "", "file that swaps.cu has written: add what came of its swaps to "+swapFile)
	swapOnly = flag.String("swaps-of", "", "only those of these cells, as "+swapFile+" writes them, separated by commas: one 17 2")
)

// swapFile has a line for every opening: its way, nodes and degree as in graphs.txt, the steps,
// the number of swaps tried, and the least bandwidth that they found in that many steps, or a
// dash. The swaps of a line depend on nothing else: each batch of swapsAtOnce swaps has its own
// seed, counted from 0.
//
//	go test ./planner/direct/stored -run TestSwaps -swaps 1h -timeout 0
//
// continues where the file ends, always with the opening that has the fewest swaps. The program
// swaps.cu makes the same swaps on a GPU, and -swapped adds them to the file. Graphs that beat the
// frontier are printed as package stored writes them.
const swapFile = "swaps.txt"

// swapsAtOnce is the number of swaps with the same seed.
const swapsAtOnce = 200_000

// anHour is about the number of swaps that a core makes in an hour, 360 000 in a second.
const anHour = 1_300_000_000

// batchesWritten is the number of batches of swaps after which the results are written.
const batchesWritten = 64

// opening is a number of steps in which a graph of a cell could still take less bandwidth than
// all graphs of the finder.
type opening struct {
	cell
	diameter int
}

// tried is the result of the swaps of an opening.
type tried struct {
	opening
	swaps int
	least *big.Rat // nil: none is within the diameter
}

func (w tried) steps() int { return w.halves() * w.diameter }

// way is the first word of a line.
func (c cell) way() string {
	switch {
	case c.gather:
		return "gather"
	case c.twoWay:
		return "two"
	}
	return "one"
}

func (w tried) line() string {
	least := "-"
	if w.least != nil {
		least = w.least.RatString()
	}
	return fmt.Sprintln(w.way(), w.nodes, w.degree, w.steps(), w.swaps, least)
}

// readTried reads lines.
func readTried(text string) (all []tried, err error) {
	for line := range strings.Lines(text) {
		var way, least string
		var w tried
		var steps int
		if _, err := fmt.Sscanln(line, &way, &w.nodes, &w.degree, &steps, &w.swaps, &least); err != nil {
			return nil, fmt.Errorf("%q: %w", line, err)
		}
		w.twoWay, w.gather = way == "two", way == "gather"
		w.diameter = steps / w.halves()
		if least != "-" {
			var ok bool
			if w.least, ok = new(big.Rat).SetString(least); !ok {
				return nil, fmt.Errorf("%q: no bandwidth", line)
			}
		}
		if w.line() != line {
			return nil, fmt.Errorf("%q is not %q", line, w.line())
		}
		all = append(all, w)
	}
	return all, nil
}

// frontiers holds one finder per kind of cell.
type frontiers map[cell]*finder.Finder

func (f frontiers) of(t *testing.T, c cell) []finder.Point {
	t.Helper()
	kind := c
	kind.nodes = 0
	opts := c.options()
	opts.Unstored = false
	if f[kind] == nil {
		f[kind] = finder.New(c.degree, opts)
	}
	points, err := f[kind].Frontier(t.Context(), c.nodes)
	if err != nil {
		t.Fatal(err)
	}
	return points
}

func covered(points []finder.Point, c finder.Cost) bool {
	return slices.ContainsFunc(points, func(p finder.Point) bool { return p.Steps <= c.Steps && p.Bandwidth.Cmp(c.Bandwidth) <= 0 })
}

// swapCells returns the cells of up to 32 nodes and seven ports. It leaves out two-way allgathers,
// which are half an allreduce, and two-way graphs of two ports, which are rings.
func swapCells() (all []cell) {
	for degree := 2; degree <= mostSwapped; degree++ {
		for nodes := degree + 2; nodes <= 32; nodes++ {
			all = append(all, cell{degree: degree, nodes: nodes}, cell{gather: true, degree: degree, nodes: nodes})
			if degree > 2 {
				all = append(all, cell{twoWay: true, degree: degree, nodes: nodes})
			}
		}
	}
	return all
}

// openings returns the numbers of steps in which no proof rules out a better graph.
func openings(t *testing.T, c cell, points []finder.Point) (all []opening) {
	t.Helper()
	bound, err := finder.Bound(c.nodes, c.degree, c.options())
	if err != nil {
		t.Fatal(err)
	}
	for d := bound.Steps / c.halves(); !covered(points, finder.Cost{Steps: c.halves() * d, Bandwidth: bound.Bandwidth}); d++ {
		all = append(all, opening{c, d})
	}
	return all
}

// bandwidth returns the bandwidth of a graph whose busiest circuits take a time in parts of a
// shard.
func (o opening) bandwidth(time int) *big.Rat {
	if o.twoWay {
		time *= o.halves()
	}
	return big.NewRat(int64(time*o.degree), int64(part*o.nodes))
}

// swap tries the swaps of one seed and returns the least bandwidth and its graph, if it finds a
// graph within the diameter. It checks the bandwidth against a schedule.
func (o opening) swap(t *testing.T, seed, moves int) (*big.Rat, *topology.Graph) {
	t.Helper()
	s := swaps{nodes: o.nodes, degree: o.degree, twoWay: o.twoWay, gather: o.gather, diameter: o.diameter}
	s.random = rand.New(rand.NewPCG(uint64(seed), uint64(o.nodes*1000+o.degree*100+o.diameter)))
	time := -1
	var best *topology.Graph
	s.run(moves, func(l loads) { time, best = l.time, s.graph() })
	if best == nil {
		return nil, nil
	}
	least := o.bandwidth(time)
	steps, bandwidth, err := bfb.Cost(t.Context(), best, o.options().Op)
	if err != nil || steps > o.halves()*o.diameter || bandwidth.Cmp(least) != 0 {
		t.Errorf("%+v, %v: %d steps and %v, want %v (%v)", o, topology.EdgesOf(best), steps, bandwidth, least, err)
	}
	return least, best
}

// TestSwapsDoNotBeatTheFrontier: random regular graphs, after an hour of exchanges of ends, do not
// beat the finder's graphs. The test tries a few swaps, and reads the results of the others from
// the file.
func TestSwapsDoNotBeatTheFrontier(t *testing.T) {
	text, err := os.ReadFile(swapFile)
	if err != nil {
		t.Fatal(err)
	}
	known, err := readTried(string(text))
	if err != nil {
		t.Fatal(err)
	}
	byOpening := map[opening]tried{}
	for _, w := range known {
		byOpening[w.opening] = w
	}
	finders := frontiers{}
	var all []tried
	for _, c := range swapCells() {
		points := finders.of(t, c)
		for _, o := range openings(t, c, points) {
			w := byOpening[o]
			w.opening = o
			if w.swaps < anHour && *swapTime == 0 && *swapped == "" {
				t.Errorf("%s has %d swaps of %+v; -swaps 1h and swaps.cu go on with it", swapFile, w.swaps, o)
			}
			all = append(all, w)
		}
	}
	switch {
	case *swapTime > 0:
		goOn(t, all)
	case *swapped != "":
		addSwapped(t, all)
	}
	const moves, every = 1500, 5
	for i, w := range all {
		if least := w.least; least != nil && !covered(finders.of(t, w.cell), finder.Cost{Steps: w.steps(), Bandwidth: least}) {
			t.Errorf("%s%v is not covered by %v", w.line(), least, finders.of(t, w.cell))
		}
		if i%every > 0 {
			continue
		}
		least, g := w.swap(t, 0, moves)
		if least != nil && !covered(finders.of(t, w.cell), finder.Cost{Steps: w.steps(), Bandwidth: least}) {
			t.Errorf("%+v: %v, not covered by %v: %v", w.opening, least, finders.of(t, w.cell), topology.EdgesOf(g))
		}
	}
}

// goOn tries further swaps until the time is over, and writes the results now and then.
func goOn(t *testing.T, all []tried) {
	t.Helper()
	end := time.Now().Add(*swapTime)
	wanted := strings.FieldsFunc(*swapOnly, func(r rune) bool { return r == ',' })
	for batch := 1; time.Now().Before(end); batch++ {
		next := -1
		for i, w := range all {
			name := fmt.Sprint(w.way(), " ", w.nodes, " ", w.degree)
			if (len(wanted) == 0 || slices.Contains(wanted, name)) && (next < 0 || w.swaps < all[next].swaps) {
				next = i
			}
		}
		if next < 0 {
			t.Fatal("there is no such opening")
		}
		w := &all[next]
		w.add(t, w.swaps/swapsAtOnce)
		w.swaps += swapsAtOnce
		if batch%batchesWritten == 0 {
			writeTried(t, all)
		}
	}
	writeTried(t, all)
}

// add carries out the swaps of a seed, and prints a graph that takes less than all before.
func (w *tried) add(t *testing.T, seed int) {
	t.Helper()
	least, g := w.swap(t, seed, swapsAtOnce)
	if least == nil || w.least != nil && least.Cmp(w.least) >= 0 {
		return
	}
	w.least = least
	expr, ok := topology.CodeOf(g, w.nodes)
	if !ok {
		t.Fatalf("%v has no code", topology.EdgesOf(g))
	}
	steps, _, err := bfb.Cost(t.Context(), g, w.options().Op) // may be below the limit
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println(stored.Graph{Nodes: w.nodes, Degree: w.degree, TwoWay: w.twoWay, Steps: steps, Bandwidth: least, Expr: expr,
		Task: climb.Task{Gather: w.gather, Width: w.nodes, Diameter: w.diameter, Seed: uint64(seed)}}.Line())
}

// addSwapped adds the swaps that swaps.cu has made. It repeats those of the best seed of each line.
func addSwapped(t *testing.T, all []tried) {
	t.Helper()
	text, err := os.ReadFile(*swapped)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var way string
		var nodes, degree, steps, seeds, time, seed int
		if _, err := fmt.Sscanln(line, &way, &nodes, &degree, &steps, &seeds, &time, &seed); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		i := slices.IndexFunc(all, func(w tried) bool {
			return w.way() == way && w.nodes == nodes && w.degree == degree && w.steps() == steps
		})
		if i < 0 {
			continue // a better graph is known by now
		}
		if w := &all[i]; time >= 0 {
			w.add(t, seed)
			if w.least == nil || w.least.Cmp(w.bandwidth(time)) > 0 {
				t.Fatalf("%q: seed %d finds %v", line, seed, w.least)
			}
		}
		all[i].swaps += seeds * swapsAtOnce
	}
	writeTried(t, all)
}

func writeTried(t *testing.T, all []tried) {
	t.Helper()
	var text strings.Builder
	for _, w := range all {
		text.WriteString(w.line())
	}
	if err := os.WriteFile(swapFile, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
