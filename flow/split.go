package flow

import (
	"context"

	"github.com/lightpath-net/lightpath/topology"
)

// shareFloor is the share below which a route is dropped and its traffic given to
// the others: a millionth of a millionth of a demand is rounding, not routing.
const shareFloor = 1e-12

// splitRoutes divides every demand at every node over the next hops on shortest
// paths in proportion to their circuits: equal-cost multi-path routing per hop, as
// routers do it. The division is then written as paths: each takes as much as its
// thinnest hop has left, which uses up at least one bundle, so that a demand has
// at most as many routes as there are bundles on its shortest paths. It takes one
// breadth-first search per destination and O(bundles x hops x degree) per demand.
func splitRoutes(ctx context.Context, g *topology.Graph, demands []Demand) ([][]Route, error) {
	routes := make([][]Route, len(demands))
	s := splitter{g: g, left: make([]float64, g.Bundles()), at: make([]float64, g.Nodes())}
	err := toEach(ctx, g, demands, func(dist []int32, here []int) {
		for _, i := range here {
			s.divide(dist, demands[i].Src)
			routes[i] = s.paths(dist, demands[i].Src)
		}
	})
	return routes, err
}

// splitter holds the division of one demand.
type splitter struct {
	g    *topology.Graph
	left []float64 // share on each bundle that no path has taken yet
	at   []float64 // share that passes each node
	list []int32   // nodes passed, farthest from the destination first
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

// paths takes the division apart again, always following the next hop with most
// left, and leaves left all zero.
func (s *splitter) paths(dist []int32, src int) []Route {
	var routes []Route
	for {
		path := append(make([]int32, 0, dist[src]+1), int32(src))
		var hops []int
		share := 1.0
		for u := src; dist[u] > 0; u = int(path[len(path)-1]) {
			to, _ := s.g.Row(u)
			first := s.g.RowStart(u)
			best := 0
			for j := range to {
				if s.left[first+j] > s.left[first+best] {
					best = j
				}
			}
			share = min(share, s.left[first+best])
			if share < shareFloor {
				break
			}
			hops = append(hops, first+best)
			path = append(path, to[best])
		}
		if share < shareFloor {
			break
		}
		for _, b := range hops {
			s.left[b] -= share
		}
		routes = append(routes, Route{Path: path, Share: share})
	}
	for _, u := range s.list {
		first := s.g.RowStart(int(u))
		clear(s.left[first:s.g.RowStart(int(u)+1)])
	}
	return normalise(routes)
}

// normalise drops routes whose share is next to nothing and scales the rest so
// that the shares sum to 1.
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
