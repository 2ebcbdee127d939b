package flow

import (
	"context"

	"github.com/lightpath-net/lightpath/flow/maxflow"
)

// roundingRoom is the relative difference below which two peaks are equal up to rounding: far
// below optimalityGap.
const roundingRoom = 1e-11

// leastPeak returns the smallest peak of all routings with any number of hops, or the given one
// if that is larger.
func (r *oneRoot) leastPeak(ctx context.Context, peak float64) (float64, error) {
	return r.raise(ctx, peak, func(peak float64) (*maxflow.Network[float64], int, error) {
		m, bundles, err := r.network(peak, func(u, v int32) bool { return true })
		return m, len(bundles), err
	})
}

// leastWithin returns a lower bound, at least the given peak, on the peaks of all routings
// within the given hops: the smallest peak if every hop had all circuits to itself.
func (r *oneRoot) leastWithin(ctx context.Context, hops int, peak float64) (float64, error) {
	return r.raise(ctx, peak, func(peak float64) (*maxflow.Network[float64], int, error) { return r.layers(hops, peak) })
}

// raise returns the smallest peak, at least the given one, at which a network carries all. A
// cut that lets too little through at some peak says what peak it needs at least, and that is
// tried next (Dinkelbach 1967): a few times, because the cuts have ever fewer circuits. The
// first arcs of the network are bundles, and its last node is the sink.
func (r *oneRoot) raise(ctx context.Context, peak float64, network func(peak float64) (m *maxflow.Network[float64], bundles int, err error)) (float64, error) {
	for {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		m, bundles, err := network(peak)
		if err != nil {
			return 0, err
		}
		value, err := m.Solve(int(r.root), m.Nodes()-1)
		if err != nil || value >= r.total*(1-roundingRoom) {
			return peak, err
		}
		fixed, circuits := 0.0, 0.0
		for k, a := range m.Arcs() {
			switch {
			case !m.SourceSide(a.From) || m.SourceSide(a.To):
			case k < bundles:
				circuits += a.Capacity / peak
			default:
				fixed += a.Capacity
			}
		}
		least := (r.total - fixed) / circuits
		if least <= peak*(1+roundingRoom) {
			return peak, nil
		}
		peak = least
	}
}

// network returns a flow network from the root to a sink behind all receivers, with bundles as
// wide as a peak allows. Its first arcs are the usable bundles, which it lists.
func (r *oneRoot) network(peak float64, usable func(u, v int32) bool) (m *maxflow.Network[float64], bundles []int32, err error) {
	n := r.g.Nodes()
	arcs := make([]maxflow.Arc[float64], 0, r.g.Bundles()+len(r.nodes))
	bundles = make([]int32, 0, r.g.Bundles())
	for u := range n {
		to, count := r.g.Row(u)
		for i, v := range to {
			if r.dist[u] >= 0 && v != r.root && int(v) != u && usable(int32(u), v) {
				arcs = append(arcs, maxflow.Arc[float64]{From: u, To: int(v), Capacity: peak * float64(count[i])})
				bundles = append(bundles, int32(r.g.RowStart(u)+i))
			}
		}
	}
	for _, v := range r.nodes {
		arcs = append(arcs, maxflow.Arc[float64]{From: int(v), To: n, Capacity: r.amount[v]})
	}
	m, err = maxflow.New(n+1, arcs)
	return m, bundles, err
}

// layers is network with a copy of every node after 0, 1, 2, .. hops, up to a limit, and with
// bundles from one layer to the next. What a node has received after any number of hops goes to
// the sink through one arc.
func (r *oneRoot) layers(hops int, peak float64) (m *maxflow.Network[float64], bundles int, err error) {
	n := r.g.Nodes()
	all := (hops + 1) * n // first of the nodes that stand for all that a node has received
	sink := all + n
	var arcs []maxflow.Arc[float64]
	for h := range hops {
		for u := range n {
			if r.dist[u] < 0 || int(r.dist[u]) > h || h > 0 && int32(u) == r.root {
				continue
			}
			to, count := r.g.Row(u)
			for i, v := range to {
				if v != r.root && int(v) != u {
					arcs = append(arcs, maxflow.Arc[float64]{From: h*n + u, To: (h+1)*n + int(v), Capacity: peak * float64(count[i])})
				}
			}
		}
	}
	bundles = len(arcs)
	for _, v := range r.nodes {
		for h := int(r.dist[v]); h <= hops; h++ {
			arcs = append(arcs, maxflow.Arc[float64]{From: h*n + int(v), To: all + int(v), Capacity: r.amount[v]})
		}
		arcs = append(arcs, maxflow.Arc[float64]{From: all + int(v), To: sink, Capacity: r.amount[v]})
	}
	m, err = maxflow.New(sink+1, arcs)
	return m, bundles, err
}
