package bfb

import "github.com/lightpath-net/lightpath/topology"

// symmetry is what is known of the automorphisms of a graph whose links may differ.
type symmetry struct {
	group           topology.Translations // transitive, or trivial
	representatives []int32               // nodes to which all others are symmetric
	// reversible says that the transpose is isomorphic to the graph, so that both
	// halves of an allreduce take equally long. (Zhao et al., Theorem 4.)
	reversible bool
}

// everyNode is the symmetry of a graph if nothing is known about it: every node represents itself.
func everyNode(n int) symmetry {
	s := symmetry{representatives: make([]int32, n)}
	for u := range n {
		s.representatives[u] = int32(u)
	}
	return s
}

// findSymmetry looks for translations that map every node to every other. If there are none, it
// tries rotations by a part of the circle and the reflection u -> n-1-u, which generalized
// Kautz graphs have: x -> -dx-a maps x+c to the image of x plus c if (d+1)c = 0 mod n, and -1-x
// to the reflection of an image of x. If there is no rotation, it tries rotations of both
// halves of the nodes at once.
//
// Every permutation is checked circuit by circuit, on a graph in which the number of
// circuits stands for the kind of link and circuits from a node to itself are left out.
func findSymmetry(g *topology.Graph, links []link) symmetry {
	n := g.Nodes()
	kinds := linkKinds(g, links)
	if group, ok := kinds.Symmetry(); ok {
		// Negation of coordinates turns circuits round.
		return symmetry{group, []int32{0}, true}
	}
	s := symmetry{reversible: kinds.Bidirectional()}
	stride := n
	if group := topology.Rotations(n, 1).Within(kinds); !group.Trivial() {
		stride = group.Stride[0]
	} else if halves, ok := rotatedHalves(kinds); ok {
		for u := range n {
			if _, first := halves.Locate(u); first == u {
				s.representatives = append(s.representatives, int32(u))
			}
		}
		return s
	}
	last := stride - 1 // Rotated into the first stride, the reflection is u -> stride-1-u.
	if reflects(kinds) {
		last /= 2
	}
	for u := range last + 1 {
		s.representatives = append(s.representatives, int32(u))
	}
	return s
}

// rotatedHalves returns the rotations that turn the first and the second half of the nodes at
// the same time and map circuits onto circuits, as in generalized Petersen graphs.
func rotatedHalves(g *topology.Graph) (topology.Translations, bool) {
	n := g.Nodes()
	if n%2 != 0 {
		return topology.Translations{}, false
	}
	group := topology.Translations{Dims: []int{2, n / 2}, Stride: []int{2, 1}}.Within(g)
	return group, !group.Trivial()
}

// linkKinds returns g without circuits from a node to itself. The count of each bundle stands
// for its kind of link; kinds are numbered from 1.
func linkKinds(g *topology.Graph, links []link) *topology.Graph {
	number := map[link]int{}
	edges := make([]topology.Edge, 0, g.Bundles())
	bundle := 0
	for e := range g.Edges() {
		l := links[bundle]
		bundle++
		if e.From == e.To {
			continue
		}
		if number[l] == 0 {
			number[l] = len(number) + 1
		}
		edges = append(edges, topology.Edge{From: e.From, To: e.To, Count: number[l]})
	}
	return topology.New(g.Nodes(), "", edges)
}

// reflects reports whether u -> n-1-u maps the circuits onto themselves.
func reflects(g *topology.Graph) bool {
	last := g.Nodes() - 1
	for e := range g.Edges() {
		if g.Count(last-e.From, last-e.To) != e.Count {
			return false
		}
	}
	return true
}
