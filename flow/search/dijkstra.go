package search

import "github.com/lightpath-net/lightpath/topology"

// Dijkstra finds shortest paths from one node at a time under lengths >= 0 of the
// bundle classes (Dijkstra 1959, binary heap, O((nodes + bundles) log nodes)).
// Among paths of equal length the ones with fewer hops are preferred, so that
// paths stay simple where circuits have length 0.
type Dijkstra struct {
	g    *topology.Graph
	of   []int32 // class of each bundle
	dist []float64
	hops []int32
	via  []int32 // node before, -1 for none
	done []bool
	heap labels

	wanted []int32 // stamp of the search that has the node as a target
	stamp  int32
}

// label is a tentative distance; a node may have several in the heap.
type label struct {
	dist float64
	hops int32
	node int32
}

func (a label) less(b label) bool {
	if a.dist != b.dist {
		return a.dist < b.dist
	}
	if a.hops != b.hops {
		return a.hops < b.hops
	}
	return a.node < b.node
}

// NewDijkstra returns a search on a graph; of is the class of each bundle.
func NewDijkstra(g *topology.Graph, of []int32) *Dijkstra {
	n := g.Nodes()
	return &Dijkstra{
		g:    g,
		of:   of,
		dist: make([]float64, n),
		hops: make([]int32, n),
		via:  make([]int32, n),
		done: make([]bool, n),

		wanted: make([]int32, n),
	}
}

// Search finds the shortest paths from src to the targets, or to all nodes if there
// are none given. Every hop costs the length of its class plus perHop.
func (d *Dijkstra) Search(src int, targets []int32, length []float64, perHop float64) {
	missing := -1
	if len(targets) > 0 {
		d.stamp++
		missing = 0
		for _, v := range targets {
			if d.wanted[v] != d.stamp {
				d.wanted[v] = d.stamp
				missing++
			}
		}
	}
	for u := range d.via {
		d.via[u] = -1
		d.done[u] = false
	}
	d.dist[src], d.hops[src] = 0, 0
	d.heap = append(d.heap[:0], label{node: int32(src)})
	for len(d.heap) > 0 {
		l := d.heap.pop()
		u := int(l.node)
		if d.done[u] {
			continue
		}
		d.done[u] = true
		if missing >= 0 && d.wanted[u] == d.stamp {
			if missing--; missing == 0 {
				return
			}
		}
		to, _ := d.g.Row(u)
		first := d.g.RowStart(u)
		for i, v := range to {
			if d.done[v] {
				continue
			}
			next := label{l.dist + length[d.of[first+i]] + perHop, l.hops + 1, v}
			if d.via[v] < 0 || next.dist < d.dist[v] || next.dist == d.dist[v] && next.hops < d.hops[v] {
				d.dist[v], d.hops[v], d.via[v] = next.dist, next.hops, int32(u)
				d.heap.push(next)
			}
		}
	}
}

// Distance returns the length of the path found to a node that was reached.
func (d *Dijkstra) Distance(dst int) float64 { return d.dist[dst] }

// Path returns the path found to a node that was reached.
func (d *Dijkstra) Path(dst int) []int32 {
	path := make([]int32, d.hops[dst]+1)
	for i, v := len(path)-1, int32(dst); i >= 0; i-- {
		path[i] = v
		v = d.via[v]
	}
	return path
}

// labels is a binary heap.
type labels []label

func (h *labels) push(l label) {
	heap := append(*h, l)
	i := len(heap) - 1
	for i > 0 {
		up := (i - 1) / 2
		if !l.less(heap[up]) {
			break
		}
		heap[i] = heap[up]
		i = up
	}
	heap[i] = l
	*h = heap
}

func (h *labels) pop() label {
	heap := *h
	top := heap[0]
	last := len(heap) - 1
	l := heap[last]
	heap = heap[:last]
	i := 0
	for {
		down := 2*i + 1
		if down >= last {
			break
		}
		if down+1 < last && heap[down+1].less(heap[down]) {
			down++
		}
		if !heap[down].less(l) {
			break
		}
		heap[i] = heap[down]
		i = down
	}
	if last > 0 {
		heap[i] = l
	}
	*h = heap
	return top
}
