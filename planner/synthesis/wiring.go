package synthesis

import (
	"slices"

	"github.com/lightpath-net/lightpath/topology"
)

// wiring is a topology that a group of translations preserves, stored as one circuit for each
// orbit; the other circuits are its images. With the trivial group it is a list of circuits; with
// all rotations, a list of jumps. A two-way circuit is listed in one direction.
type wiring struct {
	space    *space
	circuits [][2]int
}

// space is what wirings under one group have in common.
type space struct {
	iv    *interval
	group topology.Translations
	order int
	to    []int // per node: the element that moves its representative there
	home  []int // per node: its representative
	homes []int // the representatives

	out, in, open []int // scratch space of ports and fill
}

func newSpace(iv *interval, group topology.Translations) *space {
	n := iv.Nodes
	s := &space{iv: iv, group: group, order: group.Order(), to: make([]int, n), home: make([]int, n)}
	for u := range n {
		s.to[u], s.home[u] = group.Locate(u)
		if s.home[u] == u {
			s.homes = append(s.homes, u)
		}
	}
	return s
}

// back moves node v by the element that moves u to its representative.
func (s *space) back(u, v int) int { return s.group.Back(s.to[u], v) }

// atHome returns the image of a circuit that leaves a representative. For a two-way circuit it is
// the smaller of the two such images.
func (s *space) atHome(c [2]int) [2]int {
	there := [2]int{s.home[c[0]], s.back(c[0], c[1])}
	if here := s.turned(c); s.iv.Duplex && slices.Compare(here[:], there[:]) < 0 {
		return here
	}
	return there
}

// turned returns the image of the reverse of a circuit that leaves a representative.
func (s *space) turned(c [2]int) [2]int { return [2]int{s.home[c[1]], s.back(c[1], c[0])} }

// paired reports whether the images of a two-way circuit are also those of its reverse, so that a
// node has one of them instead of two.
func (s *space) paired(c [2]int) bool {
	return s.iv.Duplex && s.turned(c) == [2]int{s.home[c[0]], s.back(c[0], c[1])}
}

// wire returns the wiring of a graph that the group preserves, without loops.
func (s *space) wire(g *topology.Graph) *wiring {
	w := &wiring{space: s}
	for _, u := range s.homes {
		to, count := g.Row(u)
		for i, v := range to {
			c := [2]int{u, int(v)}
			if int(v) == u || s.atHome(c) != c {
				continue
			}
			for range count[i] {
				w.circuits = append(w.circuits, c)
			}
		}
	}
	return w
}

// each calls call for every circuit and all its images, for two-way circuits in both directions.
func (w *wiring) each(call func(u, v int)) {
	s := w.space
	for _, c := range w.circuits {
		twoWay := s.iv.Duplex && !s.paired(c)
		for k := range s.order {
			u, v := s.group.Apply(k, c[0]), s.group.Apply(k, c[1])
			call(u, v)
			if twoWay {
				call(v, u)
			}
		}
	}
}

// graph returns the topology of the circuits and all their images.
func (w *wiring) graph(name string) *topology.Graph {
	edges := make([]topology.Edge, 0, 2*len(w.circuits)*w.space.order)
	w.each(func(u, v int) { edges = append(edges, topology.Edge{From: u, To: v, Count: 1}) })
	return topology.New(w.space.iv.Nodes, name, edges)
}

// ports counts the outgoing and incoming ports that the representatives use; both are the same
// slice if circuits are two-way. They are valid until the next call for a wiring of the same
// space.
func (w *wiring) ports() (out, in []int) {
	s := w.space
	if s.out == nil {
		s.out, s.in = make([]int, s.iv.Nodes), make([]int, s.iv.Nodes)
	}
	out, in = s.out, s.out
	clear(out)
	if !s.iv.Duplex {
		in = s.in
		clear(in)
	}
	for _, c := range w.circuits {
		out[s.home[c[0]]]++
		if !s.paired(c) {
			in[s.home[c[1]]]++
		}
	}
	return out, in
}

// fits reports whether the ports suffice and no circuit is a loop.
func (w *wiring) fits() bool {
	for _, c := range w.circuits {
		if c[0] == c[1] {
			return false
		}
	}
	out, in := w.ports()
	return slices.Max(out) <= w.space.iv.Ports && slices.Max(in) <= w.space.iv.Ports
}

// fill uses free ports: for one circuit for each of the given pairs, in their order, and then
// wherever two ports are free.
func (w *wiring) fill(pairs [][2]int) {
	s := w.space
	out, in := w.ports()
	for _, c := range pairs {
		w.join(c, out, in)
	}
	open := s.open[:0]
	for v := range s.iv.Nodes {
		if in[s.home[v]] < s.iv.Ports {
			open = append(open, v)
		}
	}
	s.open = open
	for _, u := range s.homes {
		for len(open) > 0 && in[s.home[open[0]]] == s.iv.Ports {
			open = open[1:] // used-up nodes gather in front, as nodes are joined in order
		}
		for _, v := range open {
			if out[u] == s.iv.Ports {
				break
			}
			for out[u] < s.iv.Ports && w.join([2]int{u, v}, out, in) {
			}
		}
	}
}

// join lays a circuit if the ports for it are free, and counts these ports.
func (w *wiring) join(c [2]int, out, in []int) bool {
	s := w.space
	u, v := s.home[c[0]], s.home[c[1]]
	single := s.paired(c)
	need := 1
	if s.iv.Duplex && u == v && !single {
		need = 2 // one of its images arrives at the same node
	}
	if c[0] == c[1] || s.iv.Ports-out[u] < need || s.iv.Ports-in[v] < need {
		return false
	}
	w.circuits = append(w.circuits, s.atHome(c))
	out[u]++
	if !single {
		in[v]++
	}
	return true
}
