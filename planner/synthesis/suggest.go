package synthesis

import (
	"cmp"
	"maps"
	"slices"

	"github.com/lightpath-net/lightpath/topology"
)

// suggestions lists topologies that the steps suggest: the circuits of the heaviest pairs, a
// ring, the circuits of all steps together, and the ports divided among the steps in all ways, up
// to the given number. It lists each as it is, and with its free ports filled.
func (iv *interval) suggestions(ways int) []*topology.Graph {
	s := newSpace(iv, topology.Translations{})
	pairs := iv.heaviest()
	var list []*topology.Graph
	add := func(g *topology.Graph) {
		if g.Degree() > iv.Ports {
			return
		}
		w := s.wire(g)
		before := len(w.circuits)
		if w.fill(pairs); len(w.circuits) > before {
			list = append(list, w.graph(synthesised))
		}
		list = append(list, g)
	}
	add(topology.New(iv.Nodes, synthesised, nil)) // add fills it with the heaviest pairs
	if ring := iv.ring(); ring != nil {
		add(ring)
	}
	add(iv.circuitsOf(pairs))
	iv.shares(ways, add)
	return list
}

// ring returns a ring that uses as many ports as possible, or nil if there is none: one two-way
// port cannot form a ring.
func (iv *interval) ring() *topology.Graph {
	n := iv.Nodes
	back := iv.Duplex && n > 2 // with two nodes the ring leads back anyway
	width := iv.Ports
	if back {
		width /= 2
	}
	if width == 0 {
		return nil
	}
	var edges []topology.Edge
	for u := range n {
		v := (u + 1) % n
		edges = append(edges, topology.Edge{From: u, To: v, Count: width})
		if back {
			edges = append(edges, topology.Edge{From: v, To: u, Count: width})
		}
	}
	return topology.New(n, synthesised, edges)
}

// shares divides the ports among the steps in up to the given number of ways, and calls add with
// the union of the circuits for each.
func (iv *interval) shares(ways int, add func(*topology.Graph)) {
	var own []*topology.Graph
	for _, c := range iv.classes {
		pairs := make([][2]int, 0, len(c.all()))
		for _, d := range c.all() {
			pairs = append(pairs, [2]int{d.Src, d.Dst})
		}
		g := iv.circuitsOf(pairs)
		if g.Circuits() > 0 && g.Degree() <= iv.Ports && !slices.ContainsFunc(own, g.Equal) {
			own = append(own, g)
		}
	}
	var parts []*topology.Graph
	var divide func(i, ports int)
	divide = func(i, ports int) {
		switch {
		case ways <= 0:
			return
		case i == len(own) && len(parts) > 0:
			ways--
			add(topology.Union(synthesised, parts...))
			return
		case i == len(own):
			return
		}
		held := len(parts)
		for used := 0; used <= ports; used += own[i].Degree() {
			divide(i+1, ports-used)
			parts = append(parts, own[i])
		}
		parts = parts[:held]
	}
	divide(0, iv.Ports)
}

// circuitsOf gives every pair one circuit.
func (iv *interval) circuitsOf(pairs [][2]int) *topology.Graph {
	edges := make([]topology.Edge, 0, 2*len(pairs))
	joined := map[[2]int]bool{}
	join := func(u, v int) {
		if !joined[[2]int{u, v}] {
			joined[[2]int{u, v}] = true
			edges = append(edges, topology.Edge{From: u, To: v, Count: 1})
		}
	}
	for _, p := range pairs {
		join(p[0], p[1])
		if iv.Duplex {
			join(p[1], p[0])
		}
	}
	return topology.New(iv.Nodes, synthesised, edges)
}

// heaviest lists the pairs of the interval, those with the most bytes first.
func (iv *interval) heaviest() [][2]int {
	bytes := map[[2]int]float64{}
	for _, c := range iv.classes {
		for _, d := range c.all() {
			bytes[[2]int{d.Src, d.Dst}] += float64(c.times) * d.Amount
		}
	}
	pairs := make([][2]int, 0, len(bytes))
	pairs = slices.AppendSeq(pairs, maps.Keys(bytes))
	slices.SortFunc(pairs, func(a, b [2]int) int {
		return cmp.Or(cmp.Compare(bytes[b], bytes[a]), slices.Compare(a[:], b[:]))
	})
	return pairs
}
