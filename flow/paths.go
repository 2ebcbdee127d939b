package flow

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/topology"
)

// ErrPaths says that a search for paths is between nodes that do not exist or are the
// same, for fewer than one path, or with lengths that are negative, NaN or not one per
// bundle.
var ErrPaths = errors.New("flow: invalid path search")

// Path is a way through a graph that visits no node twice.
type Path struct {
	Nodes  []int32
	Length float64 // sum of the lengths of its bundles, from the first on
}

// compare orders paths by length, then hops, then nodes.
func (p Path) compare(q Path) int {
	return cmp.Or(
		cmp.Compare(p.Length, q.Length),
		cmp.Compare(len(p.Nodes), len(q.Nodes)),
		slices.Compare(p.Nodes, q.Nodes))
}

// ShortestPaths returns the k shortest paths without repeated nodes from src to dst,
// or as many as there are. length holds a length >= 0 for every bundle in the order
// of Graph.Edges, +Inf closing it; nil counts hops. Paths are in ascending order of
// length, those of equal length in order of hops and then of the nodes they visit;
// bundles count once, however many circuits they have. The order is exact where the
// sums of lengths are, as for hops; elsewhere lengths that differ by rounding alone
// may change places.
//
// It is the algorithm of Yen (1971): the next path leaves one of those found at
// some node, and the best one for each place of leaving is found by a shortest path
// search without the bundles and nodes that would repeat. Places before the one at
// which a path itself has left its parent are not searched again (Lawler 1972). It
// takes k x hops searches of O((nodes + bundles) log nodes).
//
// The error wraps ErrPaths, or ErrUnreachable when there is no path at all.
func ShortestPaths(g *topology.Graph, src, dst, k int, length []float64) ([]Path, error) {
	n := g.Nodes()
	switch {
	case src < 0 || src >= n || dst < 0 || dst >= n || src == dst:
		return nil, fmt.Errorf("%w: from node %d to node %d of %d, want two different ones", ErrPaths, src, dst, n)
	case k < 1:
		return nil, fmt.Errorf("%w: %d paths, want at least 1", ErrPaths, k)
	case length != nil && len(length) != g.Bundles():
		return nil, fmt.Errorf("%w: %d lengths for %d bundles", ErrPaths, len(length), g.Bundles())
	}
	for b, x := range length {
		if !(x >= 0) {
			return nil, fmt.Errorf("%w: bundle %d has length %v", ErrPaths, b, x)
		}
	}
	y := newYen(g, dst, length)
	first, ok := y.leave([]int32{int32(src)})
	if !ok {
		return nil, unreachable(Demand{Src: src, Dst: dst})
	}
	waiting := []candidate{{Path: first}}
	var found []Path
	for len(found) < k && len(waiting) > 0 {
		c := waiting[0]
		waiting = waiting[1:]
		found = append(found, c.Path)
		wanted := k - len(found)
		for at := c.left; at < len(c.Nodes)-1 && wanted > 0; at++ {
			p, ok := y.branch(found, c.Nodes[:at+1])
			if !ok {
				continue
			}
			place, _ := slices.BinarySearchFunc(waiting, p, func(a candidate, b Path) int { return a.compare(b) })
			waiting = slices.Insert(waiting, place, candidate{p, at})
			waiting = waiting[:min(len(waiting), wanted)]
		}
	}
	return found, nil
}

// candidate is the best path that leaves a path found at some place.
type candidate struct {
	Path
	left int // index in Nodes of the last node that they share
}

// yen searches towards one destination, on the transposed graph.
type yen struct {
	g       *topology.Graph
	dst     int
	length  []float64 // of the bundles of g, nil for hops
	perHop  float64
	search  *dijkstra
	reverse []int32   // index of each bundle in the transposed graph
	open    []float64 // lengths of the transposed bundles, +Inf for those closed now
	closed  []closure
}

// closure remembers the length of a transposed bundle that has been closed.
type closure struct {
	bundle int
	length float64
}

func newYen(g *topology.Graph, dst int, length []float64) *yen {
	back := g.Transpose("")
	y := &yen{
		g:       g,
		dst:     dst,
		length:  length,
		reverse: make([]int32, g.Bundles()),
		open:    make([]float64, g.Bundles()),
	}
	if length == nil {
		y.perHop = 1
	}
	same := make([]int32, g.Bundles())
	b := 0
	for e := range g.Edges() {
		same[b] = int32(b)
		y.reverse[b] = int32(back.Find(e.To, e.From))
		if length != nil {
			y.open[y.reverse[b]] = length[b]
		}
		b++
	}
	y.search = newDijkstra(back, same)
	return y
}

// closeBundle closes a transposed bundle.
func (y *yen) closeBundle(bundle int) {
	y.closed = append(y.closed, closure{bundle, y.open[bundle]})
	y.open[bundle] = math.Inf(1)
}

// branch returns the best path that begins with root and does not continue like any
// of the paths found.
func (y *yen) branch(found []Path, root []int32) (Path, bool) {
	u := int(root[len(root)-1])
	for _, p := range found {
		if len(p.Nodes) > len(root) && slices.Equal(p.Nodes[:len(root)], root) {
			bundle := int(y.reverse[y.g.Find(u, int(p.Nodes[len(root)]))])
			if !math.IsInf(y.open[bundle], 1) {
				y.closeBundle(bundle)
			}
		}
	}
	// What leads back to the root is a row of the transposed graph.
	for _, v := range root[:len(root)-1] {
		for b := y.search.g.RowStart(int(v)); b < y.search.g.RowStart(int(v)+1); b++ {
			y.closeBundle(b)
		}
	}
	p, ok := y.leave(root)
	for i := len(y.closed) - 1; i >= 0; i-- {
		y.open[y.closed[i].bundle] = y.closed[i].length
	}
	y.closed = y.closed[:0]
	return p, ok
}

// leave completes root by the shortest path from its last node over what is open,
// and of several by the one with the fewest hops and then the lowest nodes.
func (y *yen) leave(root []int32) (Path, bool) {
	d := y.search
	d.search(y.dst, nil, y.open, y.perHop)
	u := int(root[len(root)-1])
	if d.via[u] < 0 || math.IsInf(d.dist[u], 1) {
		return Path{}, false
	}
	nodes := slices.Grow(slices.Clone(root), int(d.hops[u]))
	for u != y.dst {
		to, _ := y.g.Row(u)
		first := y.g.RowStart(u)
		for i, v := range to {
			if int(v) != y.dst && d.via[v] < 0 {
				continue // leads nowhere
			}
			// The same sum as in the search, so that equal means equal.
			if d.hops[v]+1 == d.hops[u] && d.dist[v]+y.open[y.reverse[first+i]]+y.perHop == d.dist[u] {
				nodes = append(nodes, v)
				u = int(v)
				break
			}
		}
	}
	p := Path{Nodes: nodes}
	for i, v := range nodes[1:] {
		if y.length == nil {
			p.Length++
		} else {
			p.Length += y.length[y.g.Find(int(nodes[i]), int(v))]
		}
	}
	return p, true
}
