package synthesis

import (
	"cmp"
	"slices"

	"github.com/lightpath-net/lightpath/topology"
)

// wiring is a topology that looks the same under a group of translations, as one circuit
// for each orbit: the others are its images. With the trivial group it is a list of
// circuits; with all rotations, of jumps. A two-way circuit is listed in one direction.
type wiring struct {
	space    *space
	circuits [][2]int
}

// space is what wirings under one group have in common.
type space struct {
	iv     *interval
	group  topology.Translations
	moves  [][]int // the elements of the group as permutations
	to     []int   // per node: the element that moves its representative there
	home   []int   // per node: its representative
	starts []int   // the representatives
}

func newSpace(iv *interval, group topology.Translations) *space {
	n := iv.Nodes
	s := &space{iv: iv, group: group, moves: permutations(group, n, true), to: make([]int, n), home: make([]int, n)}
	for u := range n {
		s.to[u], s.home[u] = group.Locate(u)
		if s.home[u] == u {
			s.starts = append(s.starts, u)
		}
	}
	return s
}

// back moves node v so that u comes to lie at its representative.
func (s *space) back(u, v int) int { return s.group.Back(s.to[u], v) }

// atHome returns the image of a circuit that leaves a representative. Of a two-way
// circuit it is the smaller of the two that do.
func (s *space) atHome(c [2]int) [2]int {
	there := [2]int{s.home[c[0]], s.back(c[0], c[1])}
	if !s.iv.Duplex {
		return there
	}
	here := [2]int{s.home[c[1]], s.back(c[1], c[0])}
	return slices.MinFunc([][2]int{there, here}, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
}

// paired reports whether the images of a two-way circuit are those of its reverse, so
// that a node has one of them and not two.
func (s *space) paired(c [2]int) bool {
	return s.home[c[0]] == s.home[c[1]] && s.back(c[1], c[0]) == s.back(c[0], c[1])
}

// wire describes a graph that looks the same under the group.
func (s *space) wire(g *topology.Graph) *wiring {
	w := &wiring{space: s}
	for _, u := range s.starts {
		to, count := g.Row(u)
		for i, v := range to {
			c := [2]int{u, int(v)}
			if int(v) == u || s.iv.Duplex && s.atHome(c) != c {
				continue
			}
			for range count[i] {
				w.circuits = append(w.circuits, c)
			}
		}
	}
	return w
}

// graph lays the circuits and all their images.
func (w *wiring) graph(name string) *topology.Graph {
	s := w.space
	edges := make([]topology.Edge, 0, 2*len(w.circuits)*len(s.moves))
	for _, c := range w.circuits {
		twoWay := s.iv.Duplex && !s.paired(c)
		for _, move := range s.moves {
			u, v := move[c[0]], move[c[1]]
			edges = append(edges, topology.Edge{From: u, To: v, Count: 1})
			if twoWay {
				edges = append(edges, topology.Edge{From: v, To: u, Count: 1})
			}
		}
	}
	return topology.New(s.iv.Nodes, name, edges)
}

// ports counts the outgoing and incoming ports that the representatives use; both are
// the same slice if circuits are two-way.
func (w *wiring) ports() (out, in []int) {
	s := w.space
	out = make([]int, s.iv.Nodes)
	in = out
	if !s.iv.Duplex {
		in = make([]int, s.iv.Nodes)
	}
	for _, c := range w.circuits {
		out[s.home[c[0]]]++
		if !s.iv.Duplex || !s.paired(c) {
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

// fill uses up free ports: one circuit for each of the given pairs, in their order, and
// then wherever two are free.
func (w *wiring) fill(pairs [][2]int) {
	s := w.space
	out, in := w.ports()
	for _, c := range pairs {
		w.join(c, out, in)
	}
	for _, u := range s.starts {
		for v := 0; v < s.iv.Nodes && out[u] < s.iv.Ports; v++ {
			for w.join([2]int{u, (u + 1 + v) % s.iv.Nodes}, out, in) {
			}
		}
	}
}

// join lays a circuit if the ports for it are free, and counts them.
func (w *wiring) join(c [2]int, out, in []int) bool {
	s := w.space
	u, v := s.home[c[0]], s.home[c[1]]
	single := s.iv.Duplex && s.paired(c)
	need := 1
	if s.iv.Duplex && u == v && !single {
		need = 2 // it arrives where it leaves, or an image does
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

// heaviest lists the pairs of the interval, those with most bytes first.
func (iv *interval) heaviest() [][2]int {
	bytes := map[[2]int]float64{}
	for _, c := range iv.classes {
		for _, d := range c.all() {
			bytes[[2]int{d.Src, d.Dst}] += float64(c.times) * d.Amount
		}
	}
	pairs := make([][2]int, 0, len(bytes))
	for pair := range bytes {
		pairs = append(pairs, pair)
	}
	slices.SortFunc(pairs, func(a, b [2]int) int {
		return cmp.Or(cmp.Compare(bytes[b], bytes[a]), slices.Compare(a[:], b[:]))
	})
	return pairs
}
