package pool_test

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/planner/direct/climb"
	"github.com/lightpath-net/lightpath/planner/direct/stored"
	"github.com/lightpath-net/lightpath/planner/staged/pool"
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
	"github.com/lightpath-net/lightpath/planner/staged/stagedtest"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

var (
	searchPairs = flag.Bool("pairs", false, "search for graphs on which all pairs send, and write planner/direct/stored/pairs.txt")
	pairsEffort = flag.Int("pairs-effort", 40, "searches of each kind")
	pairsFrom   = flag.Int("pairs-from", 5, "search from so many nodes on")
	pairsTo     = flag.Int("pairs-to", 24, "search up to so many nodes")
	pairsPorts  = flag.Int("pairs-ports", mostPorts, "search up to so many ports")
)

// mostPairs is the largest product of the nodes and the nodes that may differ for which to
// search. The linear program of a step has half as many rows again.
const mostPairs = 256

// mostAlike is the number of graphs of the same cost that a search examines.
const mostAlike = 6

// moves is the number of exchanges per circuit that can differ, and heats the heat of a search.
// Successive searches cycle through both lists.
var (
	moves = []int{200, 50, 20, 10}
	heats = []int{climb.DefaultHeat, 10, 3}
)

// mostPorts is the largest number of ports for which graphs are searched by default. leastGain is
// the fraction by which a stored graph must lower the load of the busiest circuit.
const (
	mostPorts = 5
	leastGain = 0.004
)

// pairsCell is a class of graphs with the same way, degree and nodes. The best of each are
// stored.
type pairsCell struct {
	twoWay         bool
	degree, nodes  int
	known, without []rated
	seen           map[string]int // graphs found of each cost; mostly the same graph
}

// rated is a graph with the load of its busiest circuit when routes take at most Steps hops.
type rated struct {
	stored.Graph
	load float64
}

// TestPairsSearch searches, for every size, for graphs that serve all pairs better than the rest
// of the pool. Without -pairs it only checks that it finds the graph of six nodes and two ports,
// which is as good as the optimum in docs/optima.md.
func TestPairsSearch(t *testing.T) {
	if !*searchPairs {
		c := pairsCell{degree: 2, nodes: 6}
		c.climb(t, 2, 3)
		want := stored.ForPairs(6, 2, false)
		if len(c.known) != 1 || len(want) != 1 || c.known[0].Line() != want[0].Line() || want[0].Bandwidth.Cmp(big.NewRat(21, 5)) != 0 {
			t.Errorf("%v, want %v", c.known, want)
		}
		return
	}
	all := stored.AllForPairs()
	for _, twoWay := range []bool{false, true} {
		for degree := 2; degree <= *pairsPorts; degree++ {
			for nodes := max(degree+2, *pairsFrom); nodes <= *pairsTo; nodes++ {
				if twoWay && degree == 2 || !twoWay && degree > 4 {
					continue
				}
				c := pairsCell{twoWay: twoWay, degree: degree, nodes: nodes}
				c.rivals(t)
				all = slices.DeleteFunc(all, func(g stored.Graph) bool {
					if g.TwoWay != twoWay || g.Degree != degree || g.Nodes != nodes {
						return false
					}
					c.enter(t, g)
					return true
				})
				for hops := 2; hops <= 6; hops++ {
					c.climb(t, hops, *pairsEffort)
				}
				for _, r := range c.known {
					fmt.Println(r.Line(), r.load)
					all = append(all, r.Graph)
				}
				writePairs(t, all)
			}
		}
	}
}

func writePairs(t *testing.T, all []stored.Graph) {
	t.Helper()
	slices.SortStableFunc(all, func(a, b stored.Graph) int {
		way := func(g stored.Graph) int {
			if g.TwoWay {
				return 1
			}
			return 0
		}
		return cmp.Or(way(a)-way(b), a.Degree-b.Degree, a.Nodes-b.Nodes, a.Steps-b.Steps)
	})
	var text strings.Builder
	for _, g := range all {
		text.WriteString(g.Line() + "\n")
	}
	name := filepath.Join("..", "..", "direct", "stored", "pairs.txt")
	if err := os.WriteFile(name, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// rivals collects the graphs of a pool for an all-to-all, except those stored for it.
func (c *pairsCell) rivals(t *testing.T) {
	t.Helper()
	f := fabric.Default()
	f.Nodes, f.Ports, f.Duplex = c.nodes, c.degree, c.twoWay
	r := stagedtest.Request(t, f, collective.AllToAll, "direct", units.MiB)
	p, err := pool.Harvest(t.Context(), &r, pricing.NewWorkload(&r, r.Collective.Steps))
	if err != nil {
		t.Fatal(err)
	}
	for _, candidate := range p.Candidates {
		g := candidate.Topology()
		if slices.ContainsFunc(stored.ForPairs(c.nodes, c.degree, c.twoWay), func(s stored.Graph) bool { return s.Expr.String() == g.Name() }) {
			continue
		}
		diameter, ok := g.Diameter()
		if !ok {
			continue
		}
		for hops := diameter; hops <= diameter+1; hops++ {
			c.without = append(c.without, rated{stored.Graph{Steps: hops}, c.load(t, g, hops)})
		}
	}
}

// load returns the load of the busiest circuit, in shards, when every pair sends one shard. It is
// infinite if there is no solution.
func (c *pairsCell) load(t *testing.T, g *topology.Graph, hops int) float64 {
	t.Helper()
	if average, ok := g.AverageDistance(); ok {
		mean, _ := average.Float64()
		least := mean * float64(c.nodes*(c.nodes-1)) / float64(c.nodes*c.degree)
		if c.covered(hops, least) {
			return math.Inf(1) // a known graph is as good
		}
	}
	var demands []flow.Demand
	for u := range c.nodes {
		for v := range c.nodes {
			if u != v {
				demands = append(demands, flow.Demand{Src: u, Dst: v, Amount: 1})
			}
		}
	}
	result, err := flow.Solve(t.Context(), flow.Problem{Graph: g, Demands: demands, MaxHops: hops, Exact: true}, flow.Optimal)
	if err != nil {
		return math.Inf(1)
	}
	return result.Load.Peak
}

// covered reports whether a known graph has as low a load with as few hops.
func (c *pairsCell) covered(hops int, load float64) bool {
	for _, r := range slices.Concat(c.known, c.without) {
		if r.Steps <= hops && r.load <= load*(1+leastGain) {
			return true
		}
	}
	return false
}

// enter adds a graph unless a known one is as good, and removes the graphs that it makes useless.
func (c *pairsCell) enter(t *testing.T, g stored.Graph) {
	t.Helper()
	built, err := g.Expr.Build()
	if err != nil {
		t.Fatal(err)
	}
	load := c.load(t, built, g.Steps)
	if c.covered(g.Steps, load) {
		return
	}
	c.known = slices.DeleteFunc(c.known, func(r rated) bool { return r.Steps >= g.Steps && r.load*(1+leastGain) >= load })
	g.Bandwidth = fraction(load)
	c.known = append(c.known, rated{g, load})
}

// fraction returns the simplest fraction near a load.
func fraction(load float64) *big.Rat {
	for q := 1.0; ; q++ {
		if p := math.Round(load * q); math.Abs(p/q-load) < 1e-7 || q > 1e4 {
			return big.NewRat(int64(p), int64(q))
		}
	}
}

// climb searches for graphs of a diameter. It makes the given number of searches of every width.
func (c *pairsCell) climb(t *testing.T, diameter, searches int) {
	t.Helper()
	if moore, ok := topology.MooreDiameter(c.nodes, c.degree, c.twoWay); !ok || moore > diameter || moore+2 < diameter {
		return
	}
	c.seen = map[string]int{}
	for width := 1; width <= c.nodes; width++ {
		odd := c.twoWay && width*c.degree%2 == 1 && c.nodes/width%2 == 1
		if c.nodes%width != 0 || odd && width < c.nodes || width*c.nodes > mostPairs {
			continue
		}
		for seed := range searches {
			task := climb.Task{Nodes: c.nodes, Degree: c.degree, TwoWay: c.twoWay, Pairs: true, Width: width, Diameter: diameter,
				Moves: moves[seed%len(moves)] * width * c.degree, Seed: uint64(seed + 1), Far: climb.DefaultFar, Heat: heats[seed%len(heats)]}
			found, err := climb.Climb(context.Background(), task)
			if err != nil {
				t.Fatal(err)
			}
			if found == nil || c.seen[found.Bandwidth.String()] == mostAlike {
				continue
			}
			c.seen[found.Bandwidth.String()]++
			if expr, ok := topology.CodeOf(found.Graph, width); ok {
				c.enter(t, stored.Graph{Nodes: c.nodes, Degree: c.degree, TwoWay: c.twoWay, Steps: diameter, Task: task, Expr: expr})
			}
		}
	}
}
