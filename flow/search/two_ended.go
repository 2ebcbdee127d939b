package search

import (
	"math"

	"github.com/lightpath-net/lightpath/topology"
)

// fewTargets is the number of targets of a source up to which searches from both ends of each
// are less work than one search for all: if distances are logarithmic, as in graphs with short
// paths, each search meets after about the square root of the nodes.
const fewTargets = 3

// twoEnded finds shortest paths under lengths >= 0 of the bundle classes by Dijkstra's
// algorithm from both ends at once (Nicholson 1966; the stopping rule is Pohl's, 1971): it ends
// when the nearest labels of both sides together are no shorter than the best path through a
// circuit that joins them. Sources with many targets use one search instead.
type twoEnded struct {
	whole *Dijkstra
	sides [2]side
	found []foundPath // of the last source
	all   bool        // one search served the last source
}

// side is the search from one end.
type side struct {
	g     *topology.Graph
	of    []int32
	dist  []float64
	hops  []int32
	via   []int32
	seen  []int32 // stamp of the search that has labelled the node
	done  []int32 // stamp of the search that has finished the node
	stamp int32
	heap  labels
}

// foundPath is a path to a target.
type foundPath struct {
	dst  int
	dist float64
	path []int32
}

func newTwoEnded(g *topology.Graph, of []int32) *twoEnded {
	s := &twoEnded{whole: NewDijkstra(g, of)}
	back := g.Transpose(g.Name())
	turned := make([]int32, back.Bundles())
	for v := range g.Nodes() {
		from, _ := back.Row(v)
		for i, u := range from {
			turned[back.RowStart(v)+i] = of[g.Find(int(u), v)]
		}
	}
	s.sides = [2]side{newSide(g, of), newSide(back, turned)}
	return s
}

func newSide(g *topology.Graph, of []int32) side {
	n := g.Nodes()
	return side{
		g: g, of: of,
		dist: make([]float64, n), hops: make([]int32, n), via: make([]int32, n),
		seen: make([]int32, n), done: make([]int32, n),
	}
}

// Search finds the shortest paths from src to the targets, or to all nodes if none are given.
// Every hop costs the length of its class plus perHop.
func (s *twoEnded) Search(src int, targets []int32, length []float64, perHop float64) {
	if s.all = len(targets) == 0 || len(targets) > fewTargets; s.all {
		s.whole.Search(src, targets, length, perHop)
		return
	}
	s.found = s.found[:0]
	for _, dst := range targets {
		s.found = append(s.found, s.between(src, int(dst), length, perHop))
	}
}

// between finds one shortest path.
func (s *twoEnded) between(src, dst int, length []float64, perHop float64) foundPath {
	s.sides[0].begin(src)
	s.sides[1].begin(dst)
	best := label{dist: math.Inf(1)}
	var meet [2]int32 // where the two halves end
	for len(s.sides[0].heap) > 0 && len(s.sides[1].heap) > 0 {
		which := 0
		if s.sides[1].heap[0].dist < s.sides[0].heap[0].dist {
			which = 1
		}
		if s.sides[0].heap[0].dist+s.sides[1].heap[0].dist >= best.dist {
			break
		}
		here, there := &s.sides[which], &s.sides[1-which]
		l := here.heap.pop()
		u := int(l.node)
		if here.done[u] == here.stamp {
			continue
		}
		here.done[u] = here.stamp
		to, _ := here.g.Row(u)
		first := here.g.RowStart(u)
		for i, v := range to {
			next := label{l.dist + length[here.of[first+i]] + perHop, l.hops + 1, v}
			if there.seen[v] == there.stamp {
				through := label{dist: next.dist + there.dist[v], hops: next.hops + there.hops[v]}
				if through.dist < best.dist || through.dist == best.dist && through.hops < best.hops {
					best = through
					meet[which], meet[1-which] = int32(u), v
				}
			}
			here.offer(next, int32(u))
		}
	}
	found := foundPath{dst: dst, dist: best.dist}
	if math.IsInf(best.dist, 1) {
		return found
	}
	found.path = s.sides[0].trace(meet[0], make([]int32, 0, best.hops+1))
	for a, b := 0, len(found.path)-1; a < b; a, b = a+1, b-1 {
		found.path[a], found.path[b] = found.path[b], found.path[a]
	}
	found.path = simple(s.sides[1].trace(meet[1], found.path))
	return found
}

func (s *side) begin(at int) {
	s.stamp++
	s.heap = s.heap[:0]
	s.dist[at], s.hops[at], s.via[at], s.seen[at] = 0, 0, -1, s.stamp
	s.heap.push(label{node: int32(at)})
}

// offer labels a node if that improves its label.
func (s *side) offer(l label, via int32) {
	v := l.node
	if s.seen[v] == s.stamp && (s.done[v] == s.stamp || l.dist > s.dist[v] || l.dist == s.dist[v] && l.hops >= s.hops[v]) {
		return
	}
	s.seen[v], s.dist[v], s.hops[v], s.via[v] = s.stamp, l.dist, l.hops, via
	s.heap.push(l)
}

// trace appends the nodes from a node to the end at which the search began.
func (s *side) trace(from int32, path []int32) []int32 {
	for v := from; v >= 0; v = s.via[v] {
		path = append(path, v)
	}
	return path
}

// simple cuts loops out of a path: if lengths are lost in the rounding of others, the two
// halves of a shortest path may share nodes.
func simple(path []int32) []int32 {
	for i := 0; i < len(path); i++ {
		for j := len(path) - 1; j > i; j-- {
			if path[j] == path[i] {
				path = append(path[:i], path[j:]...)
				break
			}
		}
	}
	return path
}

// Distance returns the length of the path found to a target, +Inf if there is none.
func (s *twoEnded) Distance(dst int) float64 {
	if s.all {
		return s.whole.Distance(dst)
	}
	for _, f := range s.found {
		if f.dst == dst {
			return f.dist
		}
	}
	return math.Inf(1)
}

// Path returns the path found to a target that was reached.
func (s *twoEnded) Path(dst int) []int32 {
	if s.all {
		return s.whole.Path(dst)
	}
	for _, f := range s.found {
		if f.dst == dst {
			return f.path
		}
	}
	return nil
}
