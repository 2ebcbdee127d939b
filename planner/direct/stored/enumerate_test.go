package stored_test

import (
	"math/big"
	"os"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/planner/direct/climb"
	"github.com/lightpath-net/lightpath/planner/direct/finder"
	"github.com/lightpath-net/lightpath/topology"
)

// enumeration visits all connected graphs of a cell without self-loops, each at least once. The
// graphs may have parallel circuits. Nodes are numbered in the order in which a search from the
// first node finds them. If a node of a two-way graph has one port less, it is the first node.
type enumeration struct {
	cell
	count   [][]int // circuits from u to v
	out, in []int   // ports that are free; in a two-way graph, only out
	each    func(*topology.Graph)
	graphs  int
}

func (e *enumeration) run() {
	e.count = make([][]int, e.nodes)
	e.out, e.in = slices.Repeat([]int{e.degree}, e.nodes), slices.Repeat([]int{e.degree}, e.nodes)
	for u := range e.count {
		e.count[u] = make([]int, e.nodes)
	}
	if e.twoWay && e.nodes*e.degree%2 == 1 {
		e.out[0]--
	}
	e.fill(0, 0, 1)
}

// fill adds circuits from node u to the nodes >= least. The search has found the nodes < found.
func (e *enumeration) fill(u, least, found int) {
	if e.out[u] == 0 {
		if u+1 == e.nodes {
			e.give()
		} else if u+1 < found {
			e.fill(u+1, 0, found)
		}
		return
	}
	for v := least; v <= min(found, e.nodes-1); v++ {
		if e.twoWay && v < u || v == u || e.twoWay && e.out[v] == 0 || !e.twoWay && e.in[v] == 0 {
			continue
		}
		e.change(u, v, 1)
		e.fill(u, v, max(found, v+1))
		e.change(u, v, -1)
	}
}

// change adds circuits from u to v, or removes them if by is negative.
func (e *enumeration) change(u, v, by int) {
	e.count[u][v] += by
	e.out[u] -= by
	if e.twoWay {
		e.count[v][u] += by
		e.out[v] -= by
	} else {
		e.in[v] -= by
	}
}

func (e *enumeration) give() {
	e.graphs++
	var edges []topology.Edge
	for u, row := range e.count {
		for v, c := range row {
			if c > 0 {
				edges = append(edges, topology.Edge{From: u, To: v, Count: c})
			}
		}
	}
	if e.twoWay && e.nodes*e.degree%2 == 1 {
		edges = append(edges, topology.Edge{From: 0, To: 0, Count: 1})
	}
	e.each(topology.New(e.nodes, "", edges))
}

// measured returns the cost of an allreduce.
func measured(g *topology.Graph, twoWay bool) (finder.Cost, bool) {
	steps, time, ok := climb.Measure(g, g.Nodes())
	back, other := steps, time
	if ok && !twoWay {
		back, other, ok = climb.Measure(g.Transpose(""), g.Nodes())
	}
	if !ok {
		return finder.Cost{}, false
	}
	bandwidth := new(big.Rat).Add(time, other)
	bandwidth.Mul(bandwidth, big.NewRat(int64(g.Degree()), int64(g.Nodes())))
	return finder.Cost{Steps: steps + back, Bandwidth: bandwidth}, true
}

// enumerated lists the cells whose graphs are all enumerated. The field long replaces most as the
// largest number of nodes if LIGHTPATH_LONG is set in the environment.
var enumerated = []struct {
	twoWay             bool
	degree, most, long int
}{{false, 2, 7, 9}, {false, 3, 6, 7}, {true, 3, 10, 14}, {true, 4, 8, 10}, {true, 5, 7, 8}}

// TestFrontiersAreOptimal: no graph of these sizes beats the finder's.
func TestFrontiersAreOptimal(t *testing.T) {
	for _, c := range enumerated {
		f := finder.New(c.degree, finder.Options{Op: bfb.AllReduce, Bidirectional: c.twoWay})
		most := c.most
		if os.Getenv("LIGHTPATH_LONG") != "" {
			most = c.long
		}
		for nodes := c.degree + 2; nodes <= most; nodes++ {
			points, err := f.Frontier(t.Context(), nodes)
			if err != nil {
				t.Fatal(err)
			}
			e := enumeration{cell: cell{twoWay: c.twoWay, degree: c.degree, nodes: nodes}}
			var best []finder.Cost
			e.each = func(g *topology.Graph) {
				cost, ok := measured(g, c.twoWay)
				if !ok || slices.ContainsFunc(points, func(p finder.Point) bool {
					return p.Steps <= cost.Steps && p.Bandwidth.Cmp(cost.Bandwidth) <= 0
				}) {
					return
				}
				if !slices.ContainsFunc(best, func(o finder.Cost) bool { return o.Steps <= cost.Steps && o.Bandwidth.Cmp(cost.Bandwidth) <= 0 }) {
					best = append(best, cost)
					t.Errorf("%+v: %d steps and %v, not covered by %v: %v", e.cell, cost.Steps, cost.Bandwidth, points, topology.EdgesOf(g))
				}
			}
			e.run()
			t.Logf("%+v: %d graphs", e.cell, e.graphs)
		}
	}
}
