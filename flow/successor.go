package flow

import "github.com/lightpath-net/lightpath/topology"

// Successor evaluates steps on a graph in which every node has circuits to at most one other
// node, as on fabrics with one port per node. Such a graph is a set of cycles and sinks with
// trees leading into them, so every path is unique.
//
// Building one takes O(nodes). It holds working memory and must not be used by
// two goroutines at once.
type Successor struct {
	next  []int32   // the node that u sends to, or -1
	width []float64 // circuits from u to next[u]
	root  []int32   // first node on the path from u that is a sink or on a cycle
	depth []int32   // hops from u to root[u]
	cost  []float64 // sum of 1/width over those hops
	order []int32   // nodes with depth > 0, nearest to their roots first
	enter []int32   // the nodes that lead to u through trees, including u, are
	leave []int32   // those with enter in [enter[u], leave[u])

	// Cycles are consecutive in ring, each written twice in succession, so that every path along a
	// cycle is a contiguous part of ring.
	ring   []int32
	base   []int32   // where u's cycle starts in ring, or -1 off cycles
	length []int32   // length of u's cycle
	pos    []int32   // position of u on its cycle
	along  []float64 // sum of 1/width over ring, up to an index

	tail []float64 // work: bytes from u on, as differences down the trees
	arc  []float64 // work: bytes from ring[i] on, as differences along cycles
}

// NewSuccessor prepares the evaluator, and reports false if some node has circuits to more than
// one other node.
func NewSuccessor(g *topology.Graph) (*Successor, bool) {
	n := g.Nodes()
	s := &Successor{next: make([]int32, n), width: make([]float64, n)}
	for u := range n {
		s.next[u] = -1
		to, count := g.Row(u)
		for i, v := range to {
			if int(v) == u {
				continue
			}
			if s.next[u] >= 0 {
				return nil, false
			}
			s.next[u] = v
			s.width[u] = float64(count[i])
		}
	}
	keep, work := rooms(7, n), rooms(5, n) // work is not needed after construction
	s.findCycles(keep, work)
	s.growTrees(keep, work)
	s.tail = make([]float64, n)
	s.arc = make([]float64, len(s.ring))
	return s, true
}

// rooms returns a function that returns one of several lists of n numbers, which it allocates
// at once.
func rooms(lists, n int) func() []int32 {
	room := make([]int32, lists*n)
	return func() []int32 {
		part := room[:n:n]
		room = room[n:]
		return part
	}
}

// findCycles walks from every node until it meets a node seen before; if that one was seen on
// the same walk, it is on a new cycle.
func (s *Successor) findCycles(keep, work func() []int32) {
	n := len(s.next)
	s.base, s.length, s.pos = keep(), keep(), keep()
	seen := work() // number, from 1, of the walk that met the node
	s.ring = make([]int32, 0, 2*n)
	for u := range n {
		s.base[u] = -1
	}
	for u := range n {
		v := int32(u)
		for v >= 0 && seen[v] == 0 {
			seen[v] = int32(u) + 1
			v = s.next[v]
		}
		if v < 0 || seen[v] != int32(u)+1 || s.base[v] >= 0 {
			continue
		}
		base := int32(len(s.ring))
		for w := v; s.base[w] < 0; w = s.next[w] {
			s.base[w], s.pos[w] = base, int32(len(s.ring))-base
			s.ring = append(s.ring, w)
		}
		cycle := s.ring[base:]
		for _, w := range cycle {
			s.length[w] = int32(len(cycle))
		}
		s.ring = append(s.ring, cycle...)
	}
	s.along = make([]float64, len(s.ring)+1)
	for i, w := range s.ring {
		s.along[i+1] = s.along[i] + 1/s.width[w]
	}
}

// growTrees orders the nodes off the cycles breadth first from their roots and numbers them so
// that all nodes that lead to a node have consecutive numbers.
func (s *Successor) growTrees(keep, work func() []int32) {
	n := len(s.next)
	s.root, s.depth, s.cost = keep(), keep(), make([]float64, n)
	s.enter, s.leave = keep(), keep()
	first, sibling := work(), work() // lists of tree children
	for u := range n {
		first[u] = -1
	}
	order := make([]int32, 0, n)
	for u := n - 1; u >= 0; u-- {
		if v := s.next[u]; s.base[u] < 0 && v >= 0 {
			sibling[u], first[v] = first[v], int32(u)
		} else {
			s.root[u] = int32(u)
			order = append(order, int32(u))
		}
	}
	roots := len(order)
	for i := 0; i < len(order); i++ {
		v := order[i]
		for u := first[v]; u >= 0; u = sibling[u] {
			s.root[u], s.depth[u], s.cost[u] = s.root[v], s.depth[v]+1, s.cost[v]+1/s.width[u]
			order = append(order, u)
		}
	}
	size := work()
	for i := len(order) - 1; i >= 0; i-- {
		u := order[i]
		size[u]++
		if i >= roots {
			size[s.next[u]] += size[u]
		}
	}
	free := work() // next number to assign below u
	number := int32(0)
	for i, u := range order {
		if i < roots {
			s.enter[u] = number
			number += size[u]
		} else {
			v := s.next[u]
			s.enter[u] = free[v]
			free[v] += size[u]
		}
		s.leave[u] = s.enter[u] + size[u]
		free[u] = s.enter[u] + 1
	}
	s.order = order[roots:]
}

// hops returns the length of the path and the sum of 1/circuits along it.
func (s *Successor) hops(src, dst int) (hops int, cost float64, ok bool) {
	r := s.root[src]
	if int(r) == dst || s.depth[dst] > 0 {
		ok = s.enter[dst] <= s.enter[src] && s.enter[src] < s.leave[dst]
		return int(s.depth[src] - s.depth[dst]), s.cost[src] - s.cost[dst], ok
	}
	if s.base[dst] < 0 || s.base[r] != s.base[dst] {
		return 0, 0, false
	}
	from, gap := s.base[r]+s.pos[r], s.pos[dst]-s.pos[r]
	if gap < 0 {
		gap += s.length[r]
	}
	return int(s.depth[src] + gap), s.cost[src] + s.along[from+gap] - s.along[from], true
}

// path returns the node list of the path, or nil if there is none.
func (s *Successor) path(src, dst int) []int32 {
	hops, _, ok := s.hops(src, dst)
	if !ok {
		return nil
	}
	if base := s.base[src]; base >= 0 {
		from := int(base + s.pos[src])
		return s.ring[from : from+hops+1 : from+hops+1]
	}
	path := make([]int32, hops+1)
	path[0] = int32(src)
	for h := range hops {
		path[h+1] = s.next[path[h]]
	}
	return path
}

// Evaluate returns the load of a step, all of whose demands are listed, and reports false if
// some demand cannot be met or is invalid. It takes O(nodes + demands) whatever the lengths of
// the paths, and allocates nothing: every demand adds its amount where its path starts and
// subtracts it where the path ends, and one pass over trees and cycles sums up. Amounts whose
// sums are exact in floating point (say, integers) give exact loads.
func (s *Successor) Evaluate(demands []Demand) (Load, bool) {
	clear(s.tail)
	clear(s.arc)
	n := len(s.next)
	var load Load
	for _, d := range demands {
		if d.Src < 0 || d.Src >= n || d.Dst < 0 || d.Dst >= n || d.Src == d.Dst || !(d.Amount > 0) {
			return Load{}, false
		}
		hops, cost, ok := s.hops(d.Src, d.Dst)
		if !ok {
			return Load{}, false
		}
		load.Hops = max(load.Hops, hops)
		load.Dilation = max(load.Dilation, d.Amount*cost)
		s.tail[d.Src] += d.Amount
		r := s.root[d.Src]
		if int(r) == d.Dst || s.depth[d.Dst] > 0 {
			s.tail[d.Dst] -= d.Amount
			continue
		}
		base, from, to := s.base[r], s.pos[r], s.pos[d.Dst]
		s.arc[base+from] += d.Amount
		s.arc[base+to] -= d.Amount
		if to < from {
			s.arc[base] += d.Amount
		}
	}
	for i := len(s.order) - 1; i >= 0; i-- {
		u := s.order[i]
		load.Peak = max(load.Peak, s.tail[u]/s.width[u])
		s.tail[s.next[u]] += s.tail[u]
	}
	for base := 0; base < len(s.ring); base += 2 * int(s.length[s.ring[base]]) {
		bytes := 0.0
		for i := base; i < base+int(s.length[s.ring[base]]); i++ {
			bytes += s.arc[i]
			load.Peak = max(load.Peak, bytes/s.width[s.ring[i]])
		}
	}
	return load, true
}
