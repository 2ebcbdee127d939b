package pricing

import (
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/topology"
)

// OwnCircuits are the circuits that match a step of few pairs. If a root sends to all others,
// every-step has such a step for every group of peers that the ports can serve at once. The
// circuits are stored as pairs until a plan needs them: a graph of all nodes for each step would
// take the square of the number of nodes in memory. Every pair has its own circuits and no
// circuit leads on from its target, so pricing a step on them needs no routes.
type OwnCircuits struct {
	pairs   [][2]int
	wide    int  // circuits for each pair
	twoWay  bool // whether circuits are two-way
	name    string
	Classes []int // the classes with these pairs
}

// OwnCandidate returns the candidate in which each of the pairs has wide circuits.
func OwnCandidate(f *fabric.Fabric, pairs [][2]int, wide int, name string) *Candidate {
	return &Candidate{N: f.Nodes, Own: &OwnCircuits{pairs: pairs, wide: wide, twoWay: f.Duplex, name: name}}
}

// OwnPairs returns the pairs of a step in ascending order and how many circuits each can have. It
// returns none for a step of many pairs, a step with two transfers between the same nodes, and a
// step in which a node both receives and sends, since there may be other routes. If circuits are
// two-way, it also returns none for a step with several sources and several targets, since
// circuits then lead back and on.
func (c *Class) OwnPairs(f *fabric.Fabric) (pairs [][2]int, wide int) {
	if !c.Step.Group.Trivial() || len(c.Demands) == 0 || len(c.Demands) > min(f.Ports, f.Nodes/4) {
		return nil, 0
	}
	if f.Duplex && !star(c.Demands) {
		return nil, 0
	}
	most := 0
	for i, d := range c.Demands {
		out, in := 0, 0
		for j, other := range c.Demands {
			if other.Dst == d.Src || i != j && other.Src == d.Src && other.Dst == d.Dst {
				return nil, 0
			}
			if other.Src == d.Src {
				out++
			}
			if other.Dst == d.Dst {
				in++
			}
		}
		most = max(most, out, in)
		pairs = append(pairs, [2]int{d.Src, d.Dst})
	}
	slices.SortFunc(pairs, func(x, y [2]int) int { return slices.Compare(x[:], y[:]) })
	return pairs, f.Ports / most // at least 1: there are no more pairs than ports
}

// star reports whether demands have one source or one target.
func star(demands []flow.Demand) bool {
	first := demands[0]
	return !slices.ContainsFunc(demands, func(d flow.Demand) bool { return d.Src != first.Src }) ||
		!slices.ContainsFunc(demands, func(d flow.Demand) bool { return d.Dst != first.Dst })
}

// load returns the load of a step with these pairs on their circuits.
func (o *OwnCircuits) load(class *Class) flow.Load {
	load := flow.Load{Hops: 1}
	for _, d := range class.Demands {
		load.Peak = max(load.Peak, d.Amount/float64(o.wide))
		load.Dilation = max(load.Dilation, d.Amount*(1/float64(o.wide)))
	}
	return load
}

// graph returns the circuits of all nodes.
func (o *OwnCircuits) graph(n int) *topology.Graph {
	var edges []topology.Edge
	for _, pair := range o.pairs {
		edges = append(edges, topology.Edge{From: pair[0], To: pair[1], Count: o.wide})
		if o.twoWay {
			edges = append(edges, topology.Edge{From: pair[1], To: pair[0], Count: o.wide})
		}
	}
	return topology.New(n, o.name, edges)
}
