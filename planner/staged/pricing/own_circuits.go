package pricing

import (
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/topology"
)

// OwnCircuits are the circuits that match a step of few pairs. Where a root sends to all others,
// every-step has as many such steps as it has peers to so many ports. Their circuits are kept
// as pairs until a plan needs them, as a graph of all nodes for each would take the square of
// their number; and as every pair has circuits of its own and nothing leads on from there, what
// a step takes on them needs no routes.
type OwnCircuits struct {
	pairs   [][2]int
	wide    int  // circuits of a pair
	twoWay  bool // circuits are
	name    string
	Classes []int // whose pairs these are
}

// OwnCandidate makes a candidate of pairs with so many circuits each.
func OwnCandidate(f *fabric.Fabric, pairs [][2]int, wide int, name string) *Candidate {
	return &Candidate{N: f.Nodes, Own: &OwnCircuits{pairs: pairs, wide: wide, twoWay: f.Duplex, name: name}}
}

// OwnPairs returns the pairs of a step in ascending order and how many circuits each can have;
// none for a step of many pairs, with two transfers between the same nodes, or in which a node
// that receives sends, so that there may be other ways; nor for one of several sources and
// several targets where circuits are two-way, so that they lead back and on.
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
	return pairs, f.Ports / most // some, as there are no more pairs than ports
}

// star reports whether demands have one source or one target.
func star(demands []flow.Demand) bool {
	first := demands[0]
	return !slices.ContainsFunc(demands, func(d flow.Demand) bool { return d.Src != first.Src }) ||
		!slices.ContainsFunc(demands, func(d flow.Demand) bool { return d.Dst != first.Dst })
}

// load is what a step with these pairs puts on them.
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
