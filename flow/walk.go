package flow

import (
	"fmt"

	"github.com/lightpath-net/lightpath/topology"
)

// longWalk is the number of nodes above which routes that begin or end with the same part of
// memory are walked once, together: on a ring of 65536 GPUs the routes of a root have 2^31
// hops.
const longWalk = 1 << 12

// walk is the longest of some routes that begin in the same way: each is a prefix of it in the
// same memory. With back they end in the same way, and are walked from the end.
type walk struct {
	back    bool
	path    []int32
	visited []bool
	classes []int32   // of circuits, by hop
	ends    []float64 // bytes of the routes of each length in hops
	amount  float64   // bytes of the route for which delays were computed
	delays  []float64 // delays of the first hops for that amount
}

// long adds a route to the loads of circuits if it is long enough to be walked together with
// others. settle adds their bytes. It reports errors in the route.
func (w *walk) long(g *topology.Graph, cl *classes, d Demand, r Route, bytes []float64) (dilation float64, err error) {
	last := len(r.Path) - 1
	switch {
	case !(r.Share >= 0):
		return 0, fmt.Errorf("%w: share %v of %d -> %d", ErrRoute, r.Share, d.Src, d.Dst)
	case int(r.Path[0]) != d.Src || int(r.Path[last]) != d.Dst:
		return 0, fmt.Errorf("%w: %v does not lead from %d to %d", ErrRoute, r.Path, d.Src, d.Dst)
	}
	if len(w.path) == 0 || w.common(w.path) != w.common(r.Path) {
		w.settle(bytes)
		*w = walk{back: w.back, visited: make([]bool, g.Nodes()), ends: []float64{0}, delays: []float64{0}, amount: d.Amount * r.Share}
	}
	if err := w.extend(g, cl, d, r.Path); err != nil {
		return 0, err
	}
	amount := d.Amount * r.Share
	w.ends[last] += amount
	if amount != w.amount {
		w.amount, w.delays = amount, w.delays[:1]
	}
	for h := len(w.delays); h <= last; h++ {
		w.delays = append(w.delays, w.delays[h-1]+amount/cl.circuits[w.classes[h-1]])
	}
	return w.delays[last], nil
}

// common returns where routes that are walked together agree: their beginning, or their end.
func (w *walk) common(path []int32) *int32 {
	if w.back {
		return &path[len(path)-1]
	}
	return &path[0]
}

// at returns the node of a path that is the given hops from there.
func (w *walk) at(path []int32, hop int) int32 {
	if w.back {
		return path[len(path)-1-hop]
	}
	return path[hop]
}

// extend walks on to the end of a path that begins with what was walked.
func (w *walk) extend(g *topology.Graph, cl *classes, d Demand, path []int32) error {
	for h := len(w.path); h < len(path); h++ {
		v := w.at(path, h)
		if v < 0 || int(v) >= len(w.visited) {
			return fmt.Errorf("%w: node %d of %d -> %d is outside a graph of %d nodes", ErrRoute, v, d.Src, d.Dst, len(w.visited))
		}
		if w.visited[v] {
			return fmt.Errorf("%w: %v visits node %d twice", ErrRoute, path, v)
		}
		w.visited[v] = true
		if h == 0 {
			continue
		}
		from, to := w.at(path, h-1), v
		if w.back {
			from, to = to, from
		}
		bundle := g.Find(int(from), int(to))
		if bundle < 0 {
			return fmt.Errorf("%w: %d -> %d passes %d -> %d, where there is no circuit", ErrRoute, d.Src, d.Dst, from, to)
		}
		w.classes, w.ends = append(w.classes, cl.of[bundle]), append(w.ends, 0)
	}
	if len(path) > len(w.path) {
		w.path = path
	}
	return nil
}

// settle adds the bytes of all routes to those of the circuits: a circuit carries all routes
// that reach at least as far.
func (w *walk) settle(bytes []float64) {
	behind := 0.0
	for h := len(w.classes) - 1; h >= 0; h-- {
		behind += w.ends[h+1]
		bytes[w.classes[h]] += behind
	}
}
