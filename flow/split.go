package flow

import (
	"context"

	"github.com/lightpath-net/lightpath/topology"
)

// shareFloor is the share below which a route is dropped and its traffic given to the others: a
// millionth of a millionth of a demand is rounding, not routing.
const shareFloor = 1e-12

// splitRoutes divides every demand at every node over the next hops on shortest paths in
// proportion to their circuits: equal-cost multi-path routing per hop, as in routers. The
// division is then converted to paths: each takes as much as its thinnest hop has left, which
// uses up at least one bundle, so a demand has at most as many routes as there are bundles on
// its shortest paths. It takes one breadth-first search per destination and at most
// O(bundles^2) per demand.
func splitRoutes(ctx context.Context, g *topology.Graph, demands []Demand) ([][]Route, error) {
	routes := make([][]Route, len(demands))
	s := newSplitter(g)
	err := toEach(ctx, g, demands, func(dist []int32, here []int) {
		for _, i := range here {
			s.divide(dist, demands[i].Src)
			routes[i] = s.paths(dist, demands[i].Src)
		}
	})
	return routes, err
}

// splitPeak returns the peak of splitRoutes, and an upper bound on its paths. It takes at most
// O(bundles) per demand: for many demands the paths are most of the work.
func splitPeak(ctx context.Context, g *topology.Graph, cl *classes, demands []Demand) (peak float64, ways int, err error) {
	bytes := make([]float64, len(cl.circuits))
	s := newSplitter(g)
	err = toEach(ctx, g, demands, func(dist []int32, here []int) {
		for _, i := range here {
			s.divide(dist, demands[i].Src)
			ways += 2 - len(s.list) // every path but the first uses up a bundle beyond a tree
			for _, u := range s.list {
				first := g.RowStart(int(u))
				for b := first; b < g.RowStart(int(u)+1); b++ {
					if s.left[b] > 0 {
						bytes[cl.of[b]] += demands[i].Amount * s.left[b]
						s.left[b] = 0
						ways++
					}
				}
			}
		}
	})
	for c, b := range bytes {
		peak = max(peak, b/cl.circuits[c])
	}
	return peak, ways, err
}

// splitter holds the division of one demand.
type splitter struct {
	g    *topology.Graph
	left []float64 // share on each bundle that no path has taken yet
	at   []float64 // share that passes each node
	list []int32   // nodes passed, farthest from the destination first

	width []float64 // of the widest path from each node, in what is or was left
	best  []int32   // first bundle of that path
	fresh []int32   // round in which it was computed
	round int32
}

func newSplitter(g *topology.Graph) *splitter {
	n := g.Nodes()
	return &splitter{
		g: g, left: make([]float64, g.Bundles()), at: make([]float64, n),
		width: make([]float64, n), best: make([]int32, n), fresh: make([]int32, n),
	}
}

// divide fills left with the share of the demand on every bundle.
func (s *splitter) divide(dist []int32, src int) {
	s.list = append(s.list[:0], int32(src))
	s.at[src] = 1
	for i := 0; i < len(s.list); i++ {
		u := int(s.list[i])
		share := s.at[u]
		s.at[u] = 0
		if dist[u] == 0 {
			continue
		}
		to, count := s.g.Row(u)
		sum := 0.0
		for j, v := range to {
			if dist[v] == dist[u]-1 {
				sum += float64(count[j])
			}
		}
		first := s.g.RowStart(u)
		for j, v := range to {
			if dist[v] != dist[u]-1 {
				continue
			}
			part := share * float64(count[j]) / sum
			s.left[first+j] = part
			if s.at[v] == 0 {
				s.list = append(s.list, v)
			}
			s.at[v] += part
		}
	}
}

// paths decomposes the division into paths, always taking the widest that is left, and leaves
// left all zero. The widest path carries at least what is left over the number of bundles, so
// the shares do not dwindle even if there are more shortest paths than could ever be listed.
func (s *splitter) paths(dist []int32, src int) []Route {
	var routes []Route
	s.widen(dist)
	for ; ; s.round++ {
		s.refresh(dist, src)
		share := s.width[src]
		if share < shareFloor {
			break
		}
		path := append(make([]int32, 0, dist[src]+1), int32(src))
		for u := src; dist[u] > 0; u = int(path[len(path)-1]) {
			s.left[s.best[u]] -= share
			to, _ := s.g.Row(u)
			path = append(path, to[int(s.best[u])-s.g.RowStart(u)])
		}
		routes = append(routes, Route{Path: path, Share: share})
	}
	for _, u := range s.list {
		first := s.g.RowStart(int(u))
		clear(s.left[first:s.g.RowStart(int(u)+1)])
	}
	return normalise(routes)
}

// widen computes, for every node passed, the widest path to the destination in what is left,
// nearest to the destination first.
func (s *splitter) widen(dist []int32) {
	if s.round++; s.round > mostRounds {
		s.round = 1
		clear(s.fresh)
	}
	for i := len(s.list) - 1; i >= 0; i-- {
		u := int(s.list[i])
		s.fresh[u] = s.round
		if s.width[u] = 1; dist[u] > 0 {
			s.width[u], s.best[u] = s.widest(u)
		}
	}
}

// mostRounds is the round after which a demand restarts at the first round. A demand has fewer
// routes than rounds remain up to the largest number.
const mostRounds = 1 << 30

// widest returns the width of the widest path from a node, as far as the widths of the next
// nodes are known, and its first bundle.
func (s *splitter) widest(u int) (most float64, bundle int32) {
	to, _ := s.g.Row(u)
	first := s.g.RowStart(u)
	for j, v := range to {
		if s.left[first+j] <= 0 {
			continue
		}
		if width := min(s.left[first+j], s.width[v]); width > most {
			most, bundle = width, int32(first+j)
		}
	}
	return most, bundle
}

// refresh recomputes the widest path from a node in what is left now. Old widths are upper
// bounds on what is left, so it recomputes only those of the next nodes that seem the widest.
func (s *splitter) refresh(dist []int32, u int) {
	for dist[u] > 0 && s.fresh[u] != s.round {
		s.width[u], s.best[u] = s.widest(u)
		if s.width[u] == 0 {
			s.fresh[u] = s.round
			return
		}
		to, _ := s.g.Row(u)
		v := int(to[int(s.best[u])-s.g.RowStart(u)])
		if dist[v] == 0 || s.fresh[v] == s.round {
			s.fresh[u] = s.round
			return
		}
		s.refresh(dist, v)
	}
}

// normalise drops routes with negligible shares and scales the rest so that the shares sum to
// 1.
func normalise(routes []Route) []Route {
	kept := routes[:0]
	sum := 0.0
	for _, r := range routes {
		if r.Share >= shareFloor {
			kept = append(kept, r)
			sum += r.Share
		}
	}
	if sum != 1 {
		for i := range kept {
			kept[i].Share /= sum
		}
	}
	return kept
}
