package search

import (
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/topology"
)

// hopLimited finds shortest paths of at most a number of hops from one node, under lengths >= 0
// of the bundle classes (Bellman 1958, Ford 1956, by rounds): O(limit x bundles). Among several
// shortest paths it takes one with the fewest hops, which is simple: without a loop it would be
// no longer and have fewer. A round visits only nodes that the previous round has improved, and
// only improvements are kept: on a ring, where the limit may be as large as the ring, that is
// two nodes a round.
type hopLimited struct {
	g     *topology.Graph
	of    []int32
	limit int
	dist  []float64 // by node: length of the shortest path with at most as many hops as rounds so far
	hops  []int32   // fewest hops of a shortest path, -1 if there is none
	last  []int32   // the last step to each node, -1 if there is none
	steps []hopStep // improvements of all rounds

	active, next []int32 // nodes improved by the last round, ascending, and by the current one
	from         []float64
	back         *Distances
	hopsTo       [][]int32 // hops to each target, as far as computed
	kept         int
	nearest      []int32
}

// hopStep is the improvement of a node: from which node, in which round, and the node's
// previous improvement.
type hopStep struct{ via, hops, before int32 }

func newHopLimited(g *topology.Graph, of []int32, limit int) *hopLimited {
	n := g.Nodes()
	return &hopLimited{
		g: g, of: of, limit: min(limit, n-1),
		dist: make([]float64, n), hops: make([]int32, n), last: make([]int32, n),
		hopsTo: make([][]int32, n), nearest: make([]int32, n),
	}
}

// Search finds the paths from src to the targets, or to all nodes if none are given; every hop
// costs the length of its class plus perHop. For few targets it visits only nodes from which
// one can still be reached.
func (s *hopLimited) Search(src int, targets []int32, length []float64, perHop float64) {
	for u := range s.dist {
		s.dist[u], s.hops[u], s.last[u] = math.Inf(1), -1, -1
	}
	s.dist[src], s.hops[src] = 0, 0
	s.steps, s.active = s.steps[:0], append(s.active[:0], int32(src))
	left := s.left(targets)
	for h := int32(1); int(h) <= s.limit && len(s.active) > 0; h++ {
		s.from = s.from[:0] // distances before the round, which may also improve active nodes
		for _, u := range s.active {
			s.from = append(s.from, s.dist[u])
		}
		s.next = s.next[:0]
		for i, u := range s.active {
			to, _ := s.g.Row(int(u))
			first := s.g.RowStart(int(u))
			for k, v := range to {
				d := s.from[i] + length[s.of[first+k]] + perHop
				if d >= s.dist[v] || left != nil && int(h+left[v]) > s.limit {
					continue
				}
				if s.dist[v] = d; s.hops[v] == h { // improved again in this round
					s.steps[s.last[v]].via = u
					continue
				}
				s.steps = append(s.steps, hopStep{via: u, hops: h, before: s.last[v]})
				s.hops[v], s.last[v] = h, int32(len(s.steps)-1)
				s.next = append(s.next, v)
			}
		}
		s.order(h)
		s.active, s.next = s.next, s.active
	}
}

// order sorts the nodes that a round has improved, so that among equally good paths the choice
// does not depend on the order of discovery. If there are many, it goes through all nodes
// instead.
func (s *hopLimited) order(round int32) {
	if len(s.next) < len(s.dist)/sortedPart {
		slices.Sort(s.next)
		return
	}
	s.next = s.next[:0]
	for u, h := range s.hops {
		if h == round {
			s.next = append(s.next, int32(u))
		}
	}
}

// sortedPart is the fraction of all nodes below which sorting is faster: sorting one node takes
// about as long as visiting sixteen.
const sortedPart = 16

// maxLeft is the most distances that are kept.
const maxLeft = 1 << 23

// left returns the hops from every node to the nearest of few targets; nil: unknown.
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
				s.back = NewDistances(s.g)
			}
			s.back.Search(int(v))
			s.hopsTo[v] = make([]int32, n)
			for u, d := range s.back.Hops {
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

// Distance returns the length of the path found to a node, +Inf if there is none.
func (s *hopLimited) Distance(dst int) float64 { return s.dist[dst] }

// Path returns the path found to a node that was reached. A node improves in a round only if
// its predecessor did in the previous round, so the rounds lead back one by one.
func (s *hopLimited) Path(dst int) []int32 {
	path := make([]int32, s.hops[dst]+1)
	v := int32(dst)
	for h := int32(len(path) - 1); h > 0; h-- {
		path[h] = v
		step := s.last[v]
		for s.steps[step].hops != h {
			step = s.steps[step].before
		}
		v = s.steps[step].via
	}
	path[0] = v
	return path
}
