package topology

import "github.com/lightpath-net/lightpath/internal/each"

// lineRoot is the root of a line graph: the graph whose circuits are the line graph's nodes. It
// records which circuit each node is.
type lineRoot struct {
	graph      *Graph
	tail, head []int // of the circuit that is node x
}

// newLineRoot finds a graph without parallel circuits whose line graph is g (LineGraph), and
// reports false if there is no smaller one. By Heuchenne's theorem (Harary and Norman 1960,
// Some Properties of Line Digraphs), g is a line graph if the successor sets of any two nodes
// are equal or disjoint: each set is the circuits that leave a node of the root. It takes
// O(bundles).
//
// A generalised Kautz graph of d ports and n nodes, n a multiple of d, is the line graph of the
// one of n/d nodes.
func newLineRoot(g *Graph) (*lineRoot, bool) {
	n := g.Nodes()
	r := &lineRoot{tail: make([]int, n), head: make([]int, n)}
	for x := range r.tail {
		r.tail[x] = -1
	}
	var first []int // a node that leads to each set
	for x := range n {
		to, count := g.Row(x)
		if len(to) == 0 {
			return nil, false
		}
		set := r.tail[to[0]]
		if set < 0 { // so far no node leads there
			set = len(first)
			first = append(first, x)
		}
		known, _ := g.Row(first[set])
		if len(known) != len(to) {
			return nil, false
		}
		for i, y := range to {
			if known[i] != y || count[i] != 1 || r.tail[y] >= 0 && r.tail[y] != set {
				return nil, false
			}
			r.tail[y] = set
		}
		r.head[x] = set
	}
	if len(first) == n {
		return nil, false
	}
	edges := make([]Edge, n)
	for x := range n {
		if r.tail[x] < 0 { // no node leads to x
			return nil, false
		}
		edges[x] = Edge{From: r.tail[x], To: r.head[x], Count: 1}
	}
	r.graph = New(len(first), "", edges)
	return r, r.graph.Bundles() == n
}

// lift turns an automorphism of the root into one of the line graph.
func (r *lineRoot) lift(image []int32) []int32 {
	at := make([]int32, len(r.tail)) // nodes by bundle of the root
	for x, u := range r.tail {
		at[r.graph.Find(u, r.head[x])] = int32(x)
	}
	return each.Below(len(r.tail), func(x int) int32 {
		return at[r.graph.Find(int(image[r.tail[x]]), int(image[r.head[x]]))]
	})
}
