package synthesis

import (
	"math/bits"
	"slices"
	"sort"

	"github.com/lightpath-net/lightpath/internal/each"
)

// Limits of the search for automorphisms: how many it lists, and how many images it assigns to
// nodes on the way. A subset of the automorphisms is valid too, only less effective, and every
// step of the search that they shorten walks the list.
const (
	maxAutomorphisms = 10_000
	maxImagesGiven   = 1 << 16
)

// automorphisms lists permutations of the nodes that map the demands of every step onto
// themselves: all of them if they are not too many, and otherwise the largest of the groups that
// fix one node, two nodes, and so on. A topology and its images cost the same.
//
// The search assigns images to one node after another and compares each with all assigned before.
// The next node is one with many demands to and from the previous nodes, so that a wrong choice
// shows soon: there are few branches unless there are many automorphisms.
func (iv *interval) automorphisms() [][]int {
	n := iv.Nodes
	s := &autoSearch{n: n, colour: make([]int, n*n), image: make([]int, n)}
	s.paint(iv)
	s.arrange()
	s.index()
	// The more nodes are fixed, the fewer automorphisms there are, so bisection finds the least
	// number of fixed nodes that leaves few enough.
	few := func(fixed int) bool {
		s.count, s.given = 0, 0
		return s.extend(0, fixed)
	}
	fixed := sort.Search(n, few)
	s.lists = true
	few(fixed)
	return s.found
}

// autoSearch is the state of the search. Two pairs of nodes have the same colour if all
// steps move the same bytes between them. A set of nodes is a word, so there are at most 64.
type autoSearch struct {
	n       int
	colour  []int
	profile []int // equal for nodes that see the same colours
	order   []int // the order in which nodes get images
	image   []int
	used    uint64 // images
	given   int
	count   int // of automorphisms
	lists   bool
	found   [][]int // if it lists them

	kind  []int    // of a pair: its colour and that of the pair in reverse
	kinds int      // different ones
	sees  []uint64 // for node x and a kind, the nodes v for which (v, x) has that kind
	alike []uint64 // the nodes with the same profile as each node
}

// paint colours the pairs.
func (s *autoSearch) paint(iv *interval) {
	n := s.n
	bytes := make([][]float64, n*n)
	for i, c := range iv.classes {
		for _, d := range c.all() {
			e := d.Src*n + d.Dst
			if bytes[e] == nil {
				bytes[e] = make([]float64, len(iv.classes))
			}
			bytes[e][i] = d.Amount
		}
	}
	kinds := [][]float64{nil} // 0: no bytes at all
	for e, b := range bytes {
		k := slices.IndexFunc(kinds, func(kind []float64) bool { return slices.Equal(kind, b) })
		if k < 0 {
			k = len(kinds)
			kinds = append(kinds, b)
		}
		s.colour[e] = k
	}
	s.profile = make([]int, n)
	var seen [][]int
	for u := range n {
		view := each.Below(n, func(v int) int { return s.colour[u*n+v]*len(kinds) + s.colour[v*n+u] })
		slices.Sort(view)
		k := slices.IndexFunc(seen, func(known []int) bool { return slices.Equal(known, view) })
		if k < 0 {
			k = len(seen)
			seen = append(seen, view)
		}
		s.profile[u] = k
	}
}

// arrange orders the nodes: the next node is the one with the most demands to and from those
// before it.
func (s *autoSearch) arrange() {
	n := s.n
	links, placed := make([]int, n), make([]bool, n)
	for range n {
		next := -1
		for u := range n {
			if !placed[u] && (next < 0 || links[u] > links[next]) {
				next = u
			}
		}
		placed[next] = true
		s.order = append(s.order, next)
		for u := range n {
			if s.colour[u*n+next] != 0 || s.colour[next*n+u] != 0 {
				links[u]++
			}
		}
	}
}

// index prepares sets of nodes for extend.
func (s *autoSearch) index() {
	n, ids := s.n, map[[2]int]int{}
	s.kind, s.alike = make([]int, n*n), make([]uint64, n)
	for u := range n {
		for v := range n {
			both := [2]int{s.colour[u*n+v], s.colour[v*n+u]}
			id, known := ids[both]
			if !known {
				id = len(ids)
				ids[both] = id
			}
			s.kind[u*n+v] = id
			if s.profile[u] == s.profile[v] {
				s.alike[u] |= 1 << v
			}
		}
	}
	s.kinds = len(ids)
	s.sees = make([]uint64, n*s.kinds)
	for v := range n {
		for x := range n {
			s.sees[x*s.kinds+s.kind[v*n+x]] |= 1 << v
		}
	}
}

// extend tries all images of the k-th node that agree with the images of the nodes before it. It
// reports false if there are too many automorphisms. The first fixed nodes keep their places.
func (s *autoSearch) extend(k, fixed int) bool {
	if k == s.n {
		if s.lists {
			s.found = append(s.found, slices.Clone(s.image))
		}
		s.count++
		return s.count <= maxAutomorphisms
	}
	u := s.order[k]
	// An image sees all nodes as u does, and the images of the nodes before u as u sees these.
	images := s.alike[u] &^ s.used
	if k < fixed {
		images &= 1 << u
	}
	for _, w := range s.order[:k] {
		if images &= s.sees[s.image[w]*s.kinds+s.kind[u*s.n+w]]; images == 0 {
			return true
		}
	}
	for ; images != 0; images &= images - 1 {
		v := bits.TrailingZeros64(images)
		s.image[u] = v
		s.used |= 1 << v
		s.given++
		ok := s.given <= maxImagesGiven && s.extend(k+1, fixed)
		s.used &^= 1 << v
		if !ok {
			return false
		}
	}
	return true
}
