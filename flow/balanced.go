package flow

import (
	"context"
	"slices"

	"github.com/lightpath-net/lightpath/flow/search"
)

// solveBalanced sends half of every demand over the shortest path that turns clockwise wherever
// there is a choice and half over the one that turns the other way. On rings, tori and other
// circulants on which every node does the same, that is often optimal although one path per
// demand is not: only demands to the far side of a ring have a choice, and they use both
// directions equally.
//
// It reports whether the routing is proven optimal: by the counting bound, or by the dual
// solution with equal lengths on the classes of circuits with the largest load and none on the
// others (on a torus with different sides those of the longest side). short is the routing over
// one path each, with its bound. It takes two searches per destination and one per source.
func solveBalanced(ctx context.Context, p Problem, cl *classes, short *Result) (*Result, bool, error) {
	other, err := shortestTurning(ctx, p.Graph, p.Demands, false)
	if err != nil {
		return nil, false, err
	}
	res := &Result{Routes: make([][]Route, len(p.Demands)), Method: MethodBalanced, Bound: short.Bound}
	for i, routes := range short.Routes {
		res.Routes[i] = routes
		if !slices.Equal(routes[0].Path, other[i][0].Path) {
			res.Routes[i] = []Route{{Path: routes[0].Path, Share: 0.5}, {Path: other[i][0].Path, Share: 0.5}}
		}
	}
	if res.Load, err = loadOf(p.Graph, cl, p.Demands, res.Routes); err != nil {
		return nil, false, err
	}
	if !meets(res.Load.Peak, res.Bound) {
		bound, err := busiestBound(ctx, p, cl, res)
		if err != nil {
			return nil, false, err
		}
		res.Bound = max(res.Bound, bound)
	}
	ok := meets(res.Load.Peak, res.Bound)
	res.Bound = min(res.Bound, res.Load.Peak)
	return res, ok, nil
}

// busiestBound returns the total of amount x distance over the circuits with the largest load
// in a routing, with length 0 on the others. For any lengths, no routing has a smaller peak
// than that total divided by the number of circuits that have a length (see solveColumns).
func busiestBound(ctx context.Context, p Problem, cl *classes, r *Result) (float64, error) {
	bytes := make([]float64, len(cl.circuits))
	for i, d := range p.Demands {
		for _, route := range r.Routes[i] {
			for h := 1; h < len(route.Path); h++ {
				bytes[cl.of[p.Graph.Find(int(route.Path[h-1]), int(route.Path[h]))]] += d.Amount * route.Share
			}
		}
	}
	lengths, room := make([]float64, len(cl.circuits)), 0.0
	for c, circuits := range cl.circuits {
		if meets(r.Load.Peak, bytes[c]/circuits) {
			lengths[c] = 1
			room += circuits
		}
	}
	of := slices.Clone(cl.of)
	for b, c := range of {
		of[b] = max(c, 0) // self-loops never lead anywhere new
	}
	search := search.NewDijkstra(p.Graph, of)
	start, list := byNode(p.Graph.Nodes(), p.Demands, func(d Demand) int { return d.Src })
	targets := destinations(p.Demands, list)
	total := 0.0
	for src := range p.Graph.Nodes() {
		here := list[start[src]:start[src+1]]
		if len(here) == 0 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		search.Search(src, targets[start[src]:start[src+1]], lengths, 0)
		for _, i := range here {
			total += p.Demands[i].Amount * search.Distance(p.Demands[i].Dst)
		}
	}
	return total / room, nil
}
