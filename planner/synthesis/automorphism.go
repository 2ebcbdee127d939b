package synthesis

import (
	"slices"
	"sort"
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
	s := &autoSearch{n: n, colour: make([]int, n*n), image: make([]int, n), used: make([]bool, n)}
	s.paint(iv)
	s.arrange()
	// The more nodes are fixed, the fewer automorphisms there are, so bisection finds the least
	// number of fixed nodes that leaves few enough.
	list := func(fixed int) bool {
		s.found, s.given = s.found[:0], 0
		return s.extend(0, fixed)
	}
	fixed := sort.Search(n, list)
	list(fixed)
	return s.found
}

// autoSearch is the state of the search. Two pairs of nodes have the same colour if all
// steps move the same bytes between them.
type autoSearch struct {
	n       int
	colour  []int
	profile []int // equal for nodes that see the same colours
	order   []int // the order in which nodes get images
	image   []int
	used    []bool
	given   int
	found   [][]int
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
		var view []int
		for v := range n {
			view = append(view, s.colour[u*n+v]*len(kinds)+s.colour[v*n+u])
		}
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

// extend tries all images of the k-th node that agree with the images of the nodes before it. It
// reports false if there are too many automorphisms. The first fixed nodes keep their places.
func (s *autoSearch) extend(k, fixed int) bool {
	if k == s.n {
		s.found = append(s.found, slices.Clone(s.image))
		return len(s.found) <= maxAutomorphisms
	}
	u := s.order[k]
	for v := range s.n {
		if s.used[v] || k < fixed && v != u || !s.agrees(k, v) {
			continue
		}
		s.image[u], s.used[v] = v, true
		s.given++
		ok := s.given <= maxImagesGiven && s.extend(k+1, fixed)
		s.used[v] = false
		if !ok {
			return false
		}
	}
	return true
}

// agrees reports whether v can be the image of the k-th node u: v sees all nodes as u does, and
// it sees the images of the nodes before u as u sees these nodes.
func (s *autoSearch) agrees(k, v int) bool {
	n, u := s.n, s.order[k]
	if s.profile[u] != s.profile[v] {
		return false
	}
	for _, w := range s.order[:k] {
		x := s.image[w]
		if s.colour[u*n+w] != s.colour[v*n+x] || s.colour[w*n+u] != s.colour[x*n+v] {
			return false
		}
	}
	return true
}
