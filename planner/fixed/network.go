package fixed

import (
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/layout"
	"github.com/lightpath-net/lightpath/planner/mended"
	"github.com/lightpath-net/lightpath/topology"
)

// Network is a flat fabric that consists of fixed links and circuits that stay.
type Network struct {
	Name     string
	Fabric   fabric.Fabric   // its base is the network
	circuits *topology.Graph // of the fabric with fixed links
	to       []int           // GPU of each node; nil: the one of the same number
	sides    []int           // of the torus, if GPUs have other numbers
	block    []int           // of a block of the torus
}

// mostNodes is the largest number of GPUs for which fixed links and circuits are planned as one
// network without a symmetry that is known beforehand.
const mostNodes = 1 << 8

// mostName is the length from which on the name of a base is not repeated.
const mostName = 200

// Networks lists the networks of a fabric: the fixed links alone, if they join all GPUs; with the
// circuits that make a torus of meshes, plain or twisted; and with the circuits of the base. If
// something has failed, they consist of what is left; if GPUs have failed, there are none.
func Networks(f *fabric.Fabric) []Network {
	if f.Alive() != nil || !f.Links.IsZero() {
		return nil
	}
	var all []Network
	add := func(n Network, ok bool) {
		if ok && n.Fabric.Validate() == nil {
			all = append(all, n)
		}
	}
	add(alone(f))
	for _, sides := range grids(f) {
		add(torus(f, sides))
		add(twisted(f, sides))
	}
	add(withBase(f))
	return all
}

// Alike reports whether every hop of the network is exactly as good as its fabric says.
func (n *Network) Alike(f *fabric.Fabric) bool {
	if n.Grounded() {
		return true
	}
	return f.FixedBandwidth() == f.Bandwidth && f.FixedDelta() == f.Delta && f.FixedAlpha() == f.Alpha
}

// Grounded reports whether the network has no circuits.
func (n *Network) Grounded() bool { return n.circuits.Circuits() == 0 }

// still returns the flat fabric of a network. If there are two tiers, every hop is as good as the
// worse of them.
func still(f *fabric.Fabric, links *topology.Graph, base string, circuits bool) fabric.Fabric {
	flat := f.Flat()
	flat.Ports, flat.Base, flat.Initial = degree(links), base, fabric.InitialBase
	flat.Duplex, flat.Layout, flat.Radix = false, layout.Layout{}, 0
	flat.Reconfig = fabric.Reconfig{Model: fabric.Constant, Base: fabric.Forbidding}
	flat.Overlap, flat.Sync, flat.Avoid = fabric.Overlap{}, 0, fabric.Failures{}
	bandwidth, alpha, delta := f.FixedBandwidth(), f.FixedAlpha(), f.FixedDelta()
	if circuits {
		bandwidth, alpha, delta = min(bandwidth, f.Bandwidth), max(alpha, f.Alpha), max(delta, f.Delta)
	}
	flat.Bandwidth, flat.Alpha, flat.Delta = bandwidth, alpha, delta
	return flat
}

// degree returns the most links that leave a node, or lead to it.
func degree(g *topology.Graph) int {
	most := slices.Max(g.InDegrees())
	for u := range g.Nodes() {
		most = max(most, g.OutDegree(u))
	}
	return most
}

// up returns the circuits that cost nothing: those that are up at the start, or none.
func up(f *fabric.Fabric) *topology.Graph {
	if g, err := f.InitialTopology(); err == nil && g != nil {
		return g
	}
	return topology.New(f.Nodes, "none", nil)
}

// alone returns the network that has only the fixed links.
func alone(f *fabric.Fabric) (Network, bool) {
	g := f.FixedGraph()
	if !g.Joins() {
		return Network{}, false
	}
	base := f.Fixed.Links.String()
	if f.Fixed.Links.Block().Nodes() < f.Nodes || !f.Avoid.IsZero() {
		base = topology.EdgesOf(g).String()
	}
	return Network{Name: "links", Fabric: still(f, g, base, false), circuits: up(f)}, true
}

// withBase returns the network of the fixed links and those circuits of the base that join other
// pairs of GPUs.
func withBase(f *fabric.Fabric) (Network, bool) {
	flat := f.Unfixed()
	base, err := flat.BaseTopology()
	if err != nil || f.Nodes > mostNodes {
		return Network{}, false
	}
	links := f.FixedGraph()
	var edges []topology.Edge
	for e := range base.Edges() {
		if links.Count(e.From, e.To) == 0 && (!f.Duplex || links.Count(e.To, e.From) == 0) {
			edges = append(edges, e)
		}
	}
	name := base.Name()
	if len(name) > mostName {
		name = "circuits"
	}
	circuits := left(f, topology.New(f.Nodes, name+" beside links", edges))
	return joined(f, "links+base", circuits)
}

// left returns what failures leave of some circuits.
func left(f *fabric.Fabric, g *topology.Graph) *topology.Graph {
	if f.Avoid.IsZero() || f.Fits(g) == nil {
		return g
	}
	if other := mended.Graph(f, g, func(int, []int, []int) (int, int) { return 0, 0 }); other != nil {
		return other
	}
	return f.Possible(g)
}

// joined returns the network of the fixed links and some circuits, whose nodes have the numbers
// of the GPUs.
func joined(f *fabric.Fabric, name string, circuits *topology.Graph) (Network, bool) {
	links := f.FixedGraph()
	both := topology.Union("", links, circuits)
	if circuits.Circuits() == 0 || f.Fits(circuits) != nil || !both.Joins() {
		return Network{}, false
	}
	n := Network{Name: name, Fabric: still(f, both, topology.EdgesOf(both).String(), true), circuits: circuits}
	if f.FixedBandwidth() != f.Bandwidth || f.FixedDelta() != f.Delta {
		var differ []fabric.Link
		for e := range links.Edges() {
			differ = append(differ, fabric.Link{From: e.From, To: e.To, Bandwidth: f.FixedBandwidth(), Delay: f.FixedDelta(), Delayed: true})
		}
		n.Fabric.Bandwidth, n.Fabric.Delta, n.Fabric.Links = f.Bandwidth, f.Delta, fabric.LinksOf(differ...)
	}
	return n, true
}
