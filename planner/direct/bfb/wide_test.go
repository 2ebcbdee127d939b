package bfb_test

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/flow/maxflow"
	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/topology"
)

// byMaxFlow finds the least load of a program of equal links with package flow: a load
// is possible if the maximum flow from shards to links carries all shards, and if not,
// the minimum cut has links that cannot carry theirs. It returns the load.
func (p *program) byMaxFlow(t *testing.T) *big.Rat {
	t.Helper()
	shards, links := len(p.shards), len(p.links)
	source, sink := shards+links, shards+links+1
	circuits := int64(0)
	for _, e := range p.links {
		circuits += int64(e.Count)
	}
	num, den := int64(shards), circuits
	for {
		var arcs []maxflow.Arc[int64]
		for v, senders := range p.shards {
			arcs = append(arcs, maxflow.Arc[int64]{From: source, To: v, Capacity: den})
			for _, i := range senders {
				arcs = append(arcs, maxflow.Arc[int64]{From: v, To: shards + i, Capacity: den})
			}
		}
		for i, e := range p.links {
			arcs = append(arcs, maxflow.Arc[int64]{From: shards + i, To: sink, Capacity: num * int64(e.Count)})
		}
		m, err := maxflow.New(sink+1, arcs)
		if err != nil {
			t.Fatal(err)
		}
		value, err := m.Solve(source, sink)
		if err != nil {
			t.Fatal(err)
		}
		if value == den*int64(shards) {
			return big.NewRat(num, den)
		}
		num, den = 0, 0
		for v := range p.shards {
			if m.SourceSide(v) {
				num++
			}
		}
		for i, e := range p.links {
			if m.SourceSide(shards + i) {
				den += int64(e.Count)
			}
		}
	}
}

func TestManySendersOfOptimalGraphs(t *testing.T) {
	for _, expr := range []string{"K(70)", "K(66,66)", "Degree(Ring(5),33)"} {
		s := solve(t, parse(t, expr), bfb.Options{NoSymmetry: true})
		if !s.BandwidthOptimal {
			t.Errorf("%s: bandwidth %v, want %d/%d", expr, s.Bandwidth, s.Nodes-1, s.Nodes)
		}
	}
}

// hub returns a graph of layers around node 0: every node of a layer sends to one or two
// random ones of the next layer, the last layer to node 0, and node 0 to the first.
func hub(r *rand.Rand, width, layers int) *topology.Graph {
	var edges []topology.Edge
	at := func(layer, i int) int { return 1 + layer*width + i }
	for i := range width {
		edges = append(edges, topology.Edge{From: 0, To: at(0, i), Count: 1}, topology.Edge{From: at(layers-1, i), To: 0, Count: 1 + i%2})
		for layer := range layers - 1 {
			edges = append(edges, topology.Edge{From: at(layer, i), To: at(layer+1, i), Count: 1})
			edges = append(edges, topology.Edge{From: at(layer, i), To: at(layer+1, r.IntN(width)), Count: 1})
		}
	}
	return topology.New(1+layers*width, "hub", edges)
}

// TestManySendersEqualMaxFlow covers nodes with more senders than a table can hold, and
// more than the 64 that fit a word.
func TestManySendersEqualMaxFlow(t *testing.T) {
	r := rand.New(rand.NewPCG(64, 64))
	var graphs []*topology.Graph
	for _, inDegree := range []int{12, 90} {
		graphs = append(graphs, randomDigraph(r, 90, inDegree))
	}
	graphs = append(graphs, hub(r, 66, 3))
	for _, g := range graphs {
		s := solve(t, g, bfb.Options{NoSymmetry: true})
		loads, dist := linkLoads(s), distances(g)
		for step := 1; step <= s.Steps; step++ {
			worst := new(big.Rat)
			for u := range g.Nodes() {
				p := newProgram(g, dist, u, step, nil, 1)
				if len(p.shards) == 0 {
					continue
				}
				want := p.byMaxFlow(t)
				if got := timeOf(p, loads[step][u]); got.Cmp(want) != 0 {
					t.Fatalf("%d nodes: node %d has load %v in step %d, by maximum flow %v", g.Nodes(), u, got, step, want)
				}
				if worst.Cmp(want) < 0 {
					worst = want
				}
			}
			if s.PerStep[step-1].Cmp(worst) != 0 {
				t.Fatalf("%d nodes: step %d takes %v, by maximum flow %v", g.Nodes(), step, s.PerStep[step-1], worst)
			}
		}
	}
}
