package flow

import (
	"math"

	"github.com/lightpath-net/lightpath/topology"
)

// hopLimited finds shortest paths of at most a number of hops from one node, under
// lengths >= 0 of the bundle classes (Bellman 1958, Ford 1956, by rounds): O(limit x
// bundles). Of several shortest it takes one of fewest hops, which is simple: without
// a loop it would be no longer and have fewer.
type hopLimited struct {
	g     *topology.Graph
	of    []int32
	limit int
	dist  []float64 // by round h and node: shortest of at most h hops
	via   []int32   // by round and node: the node before, if the round improved it
	hops  []int32   // fewest hops of a shortest path, -1 where there is none

	active, next []bool // nodes that the last round improved, and this one
	back         *distances
	hopsTo       [][]int32 // hops to each target that was asked for
	kept         int
	nearest      []int32
}

func newHopLimited(g *topology.Graph, of []int32, limit int) *hopLimited {
	n := g.Nodes()
	limit = min(limit, n-1)
	return &hopLimited{
		g: g, of: of, limit: limit,
		dist: make([]float64, (limit+1)*n),
		via:  make([]int32, (limit+1)*n),
		hops: make([]int32, n),

		active: make([]bool, n), next: make([]bool, n),
		hopsTo: make([][]int32, n), nearest: make([]int32, n),
	}
}

// search finds the paths from src to the targets, or to all nodes if there are none given;
// every hop costs the length of its class plus perHop. For few targets only nodes are looked
// at from which one can still be reached.
func (s *hopLimited) search(src int, targets []int32, length []float64, perHop float64) {
	n := s.g.Nodes()
	for u := range n {
		s.dist[u], s.hops[u], s.active[u] = math.Inf(1), -1, false
	}
	s.dist[src], s.hops[src], s.active[src] = 0, 0, true
	left := s.left(targets)
	for h := 1; h <= s.limit; h++ {
		before, now := s.dist[(h-1)*n:h*n], s.dist[h*n:(h+1)*n]
		via := s.via[h*n : (h+1)*n]
		copy(now, before)
		clear(s.next)
		for u := range n {
			if !s.active[u] { // the round before changed nothing there
				continue
			}
			to, _ := s.g.Row(u)
			first := s.g.RowStart(u)
			for i, v := range to {
				if d := before[u] + length[s.of[first+i]] + perHop; d < now[v] && (left == nil || h+int(left[v]) <= s.limit) {
					now[v], via[v], s.hops[v], s.next[v] = d, int32(u), int32(h), true
				}
			}
		}
		s.active, s.next = s.next, s.active
	}
}

// maxLeft is the number of distances that are kept.
const maxLeft = 1 << 23

// left returns the hops from every node to the nearest of few targets; nil: not known.
func (s *hopLimited) left(targets []int32) []int32 {
	n := s.g.Nodes()
	if len(targets) == 0 || len(targets) > fewTargets {
		return nil
	}
	for i, v := range targets {
		if s.hopsTo[v] == nil {
			if s.kept += n; s.kept > maxLeft {
				return nil
			}
			if s.back == nil {
				s.back = newDistances(s.g)
			}
			s.back.search(int(v))
			s.hopsTo[v] = make([]int32, n)
			for u, d := range s.back.to {
				if s.hopsTo[v][u] = d; d < 0 {
					s.hopsTo[v][u] = math.MaxInt32 / 2
				}
			}
		}
		if i == 0 {
			copy(s.nearest, s.hopsTo[v])
			continue
		}
		for u, d := range s.hopsTo[v] {
			s.nearest[u] = min(s.nearest[u], d)
		}
	}
	return s.nearest
}

// distance returns the length of the path found to a node, +Inf for none.
func (s *hopLimited) distance(dst int) float64 { return s.dist[s.limit*s.g.Nodes()+dst] }

// path returns the path found to a node that was reached. A node improves in a round
// only if its predecessor did in the round before, so the rounds lead back one by one.
func (s *hopLimited) path(dst int) []int32 {
	n := s.g.Nodes()
	path := make([]int32, s.hops[dst]+1)
	v := int32(dst)
	for h := len(path) - 1; h > 0; h-- {
		path[h] = v
		v = s.via[h*n+int(v)]
	}
	path[0] = v
	return path
}
