package flow

import "slices"

// result converts a flow to routes, nil if rounding has lost some of it. No routing within as
// many hops has a smaller peak than the flow, and none at all has one below open.
func (r *oneRoot) result(p *Problem, cl *classes, f *rootFlow, peak, open float64) (*Result, error) {
	routes := make([][]Route, len(p.Demands))
	w := rootWalk{rootFlow: f, last: make([]int32, r.g.Nodes())}
	for _, v := range slices.Backward(r.nodes) {
		own := w.to(v)
		if len(own) == 0 {
			return nil, nil
		}
		routes[r.to[v]-1] = own
	}
	load, err := loadOf(p.Graph, cl, p.Demands, routes)
	if err != nil || !meets(load.Peak, peak*r.unit) {
		return nil, err
	}
	return &Result{
		Routes: routes, Load: load, Method: MethodMaxFlow,
		Bound: min(peak*r.unit, load.Peak), open: min(open*r.unit, load.Peak),
	}, nil
}

// rootWalk decomposes a flow into routes.
type rootWalk struct {
	*rootFlow
	path  []int32 // nodes, the last first
	index []int32 // next index on the path, by node
	last  []int32 // 1 + the place of a node on the path
}

// to removes what a node receives from the flow and returns it as routes. Each takes the widest
// path back to the root, hop by hop, and uses up a bundle of a layer or the rest of what the
// node receives.
func (w *rootWalk) to(v int32) []Route {
	var routes []Route
	n := int32(w.g.Nodes())
	if w.got == nil {
		routes = w.after(routes, v, int(w.dist[v]), w.amount[v]-w.need[v])
	} else {
		for hops := 1; hops <= w.layers; hops++ {
			routes = w.after(routes, v, hops, w.got[int32(hops)*n+v])
		}
	}
	return normalise(routes)
}

// after is to for what arrives after the given hops.
func (w *rootWalk) after(routes []Route, v int32, hops int, amount float64) []Route {
	for left := amount; left > shareFloor*w.amount[v]; {
		part := w.back(v, hops, left)
		if part <= 0 {
			break // rounding
		}
		for _, i := range w.index {
			w.on[i] -= part
		}
		left -= part
		routes = append(routes, Route{Path: w.route(), Share: part / w.amount[v]})
	}
	return routes
}

// back finds a path back to the root, and returns how much of an amount it carries.
func (w *rootWalk) back(v int32, hops int, amount float64) float64 {
	w.path, w.index = append(w.path[:0], v), w.index[:0]
	for ; hops > 0; hops-- {
		most, bundle, from := 0.0, int32(0), int32(-1)
		first := int32(0)
		if w.layers > 0 {
			first = int32((hops - 1) * w.g.Bundles())
		}
		for i := w.in.start[v]; i < w.in.start[v+1]; i++ {
			u := w.in.from[i]
			if w.layers == 0 && int(w.dist[u]) != hops-1 {
				continue
			}
			if on := w.on[first+w.in.bundle[i]]; on > most {
				most, bundle, from = on, w.in.bundle[i], u
			}
		}
		if from < 0 {
			return 0
		}
		amount = min(amount, most)
		w.path, w.index = append(w.path, from), append(w.index, first+bundle)
		v = from
	}
	return amount
}

// route returns the path that was found, without loops and in the direction of the demands.
func (w *rootWalk) route() []int32 {
	path := make([]int32, 0, len(w.path))
	for _, v := range slices.Backward(w.path) {
		if at := w.last[v]; at > 0 { // the hops since then form a loop
			for _, u := range path[at:] {
				w.last[u] = 0
			}
			path = path[:at]
			continue
		}
		path = append(path, v)
		w.last[v] = int32(len(path))
	}
	for _, v := range path {
		w.last[v] = 0
	}
	if w.inwards {
		slices.Reverse(path)
	}
	return path
}
