package flow

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/topology"
)

// ShareTolerance is how far the sum of a demand's shares may be from 1: room for the rounding
// of some thousand routes and for plans that went through decimal text, but not for a missing
// route.
const ShareTolerance = 1e-9

// LoadOf computes the load of given routes only from the routes, so that a verifier can use it
// on routes from anywhere. With a group, each representative route stands for its whole orbit.
//
// It returns an error that wraps ErrRoute for a route over a missing circuit, one that does not
// lead from the demand's source to its destination, one that visits a node twice, and shares
// that are negative or do not sum to 1; ErrDemand for an invalid demand; and ErrNotInvariant if
// the group does not fit the graph. It takes O(nodes + bundles + total length of the routes x
// log degree). Among long routes that are prefixes, or suffixes, of one another in the same
// memory, only the longest counts.
func LoadOf(g *topology.Graph, group topology.Translations, demands []Demand, routes [][]Route) (Load, error) {
	if len(routes) != len(demands) {
		return Load{}, fmt.Errorf("%w: routes for %d demands, not %d", ErrRoute, len(routes), len(demands))
	}
	return LoadOfEach(g, group, len(demands), func(i int) (Demand, []Route) { return demands[i], routes[i] })
}

// LoadOfEach is LoadOf for count demands that at returns, each with its routes: callers that
// store them differently need not copy a million of them.
func LoadOfEach(g *topology.Graph, group topology.Translations, count int, at func(i int) (Demand, []Route)) (Load, error) {
	return new(Loader).Of(context.Background(), g, group, count, at)
}

// Loader computes loads of steps one after another. It remembers the symmetry of the last
// graph: a ring of 16384 GPUs has twice as many steps on the same circuits, and numbering the
// circuits again takes longer than adding up a step. The zero value is ready for use.
type Loader struct {
	graph   *topology.Graph
	group   topology.Translations
	classes *classes
}

// Of is LoadOfEach. It returns the error of its context once that has ended.
func (l *Loader) Of(ctx context.Context, g *topology.Graph, group topology.Translations, count int, at func(i int) (Demand, []Route)) (Load, error) {
	for i := range count {
		if d, _ := at(i); !d.valid(g.Nodes()) {
			return Load{}, d.fault(i, g.Nodes())
		}
	}
	if l.graph != g || !slices.Equal(l.group.Dims, group.Dims) || !slices.Equal(l.group.Stride, group.Stride) {
		cl, err := newClasses(g, group)
		if err != nil {
			return Load{}, err
		}
		l.graph, l.group, l.classes = g, group, cl
	}
	return loadOfEach(ctx, g, l.classes, count, at)
}

func loadOf(g *topology.Graph, cl *classes, demands []Demand, routes [][]Route) (Load, error) {
	if len(routes) != len(demands) {
		return Load{}, fmt.Errorf("%w: routes for %d demands, not %d", ErrRoute, len(routes), len(demands))
	}
	return loadOfEach(context.Background(), g, cl, len(demands), func(i int) (Demand, []Route) { return demands[i], routes[i] })
}

// routesBetweenQuestions is how many demands are added up between two checks of the context:
// they take about a millisecond.
const routesBetweenQuestions = 1 << 12

func loadOfEach(ctx context.Context, g *topology.Graph, cl *classes, count int, at func(i int) (Demand, []Route)) (Load, error) {
	var load Load
	bytes := make([]float64, len(cl.circuits))
	visited := make([]int, g.Nodes()) // number of the last route there, from 1
	route := 0
	var hops []int32 // bundles of a route
	// These are long routes with the beginning of the previous ones, and long routes with their
	// end.
	ahead, back := walk{}, walk{back: true}
	var begins, ends *int32
	for i := range count {
		if i%routesBetweenQuestions == 0 {
			if err := ctx.Err(); err != nil {
				return Load{}, err
			}
		}
		d, routes := at(i)
		sum := 0.0
		for _, r := range routes {
			if len(r.Path) > longWalk {
				w, along := &ahead, begins == ahead.common(r.Path)
				if !along {
					w, along = &back, ends == back.common(r.Path)
				}
				begins, ends = ahead.common(r.Path), back.common(r.Path)
				if along {
					dilation, err := w.long(g, cl, d, r, bytes)
					if err != nil {
						return Load{}, err
					}
					sum += r.Share
					load.Hops, load.Dilation = max(load.Hops, len(r.Path)-1), max(load.Dilation, dilation)
					continue
				}
			}
			route++
			var err error
			if hops, err = checkRoute(g, d, r, visited, route, hops[:0]); err != nil {
				return Load{}, err
			}
			sum += r.Share
			dilation := 0.0
			for _, b := range hops {
				c := cl.of[b]
				bytes[c] += d.Amount * r.Share
				dilation += d.Amount * r.Share / cl.circuits[c]
			}
			load.Hops = max(load.Hops, len(r.Path)-1)
			load.Dilation = max(load.Dilation, dilation)
		}
		if !(math.Abs(sum-1) <= ShareTolerance) {
			return Load{}, fmt.Errorf("%w: shares of %d -> %d sum to %v", ErrRoute, d.Src, d.Dst, sum)
		}
	}
	ahead.settle(bytes)
	back.settle(bytes)
	for c, b := range bytes {
		load.Peak = max(load.Peak, b/cl.circuits[c])
	}
	return load, nil
}

// Check reports a route that does not lead from src to dst, that leaves the graph or visits a
// node twice, or whose share is negative. visited has an entry for every node; number must be
// larger than that of any route checked earlier with the same slice.
func (r *Route) Check(src, dst int, visited []int, number int) error {
	if !(r.Share >= 0) {
		return fmt.Errorf("%w: share %v of %d -> %d", ErrRoute, r.Share, src, dst)
	}
	if len(r.Path) < 2 || int(r.Path[0]) != src || int(r.Path[len(r.Path)-1]) != dst {
		return fmt.Errorf("%w: %v does not lead from %d to %d", ErrRoute, r.Path, src, dst)
	}
	for _, v := range r.Path {
		if v < 0 || int(v) >= len(visited) {
			return fmt.Errorf("%w: node %d of %d -> %d is outside a graph of %d nodes", ErrRoute, v, src, dst, len(visited))
		}
		if visited[v] == number {
			return fmt.Errorf("%w: %v visits node %d twice", ErrRoute, r.Path, v)
		}
		visited[v] = number
	}
	return nil
}

// checkRoute appends the bundles of one route of demand d to hops, or reports an error in it.
// number must be larger than that of any route checked earlier with the same visited slice.
func checkRoute(g *topology.Graph, d Demand, r Route, visited []int, number int, hops []int32) ([]int32, error) {
	if err := r.Check(d.Src, d.Dst, visited, number); err != nil {
		return nil, err
	}
	for h := 1; h < len(r.Path); h++ {
		v := r.Path[h]
		bundle := g.Find(int(r.Path[h-1]), int(v))
		if bundle < 0 {
			return nil, fmt.Errorf("%w: %d -> %d passes %d -> %d, where there is no circuit", ErrRoute, d.Src, d.Dst, r.Path[h-1], v)
		}
		hops = append(hops, int32(bundle))
	}
	return hops, nil
}
