package flow

import (
	"context"
	"math"

	"github.com/lightpath-net/lightpath/topology"
)

// oneRoot is a step in which one node sends to others, or receives from them: a scatter or a
// gather in one step. It is a single-commodity problem, so a routing without a hop limit is a
// flow from one source to one sink behind all receivers. The smallest peak is the one at which
// this flow meets the demand (Ford and Fulkerson 1956): it needs no linear program, and a cut
// proves it.
//
// With a hop limit it is a flow in layers, one per hop, that share their circuits. If they did
// not share them, it would be a flow of the same kind in a larger network, whose cut bounds the
// peak from below (one_root_bound.go). Flows that do share them mostly reach that bound
// (one_root_layers.go), because mostly the circuits of the root are the bottleneck, and these
// are used only in the first layer. So it finds the fastest routes with a proof, or reports
// that it failed.
//
// A gather is routed like a scatter over reversed circuits.
type oneRoot struct {
	g       *topology.Graph
	root    int32
	inwards bool      // demands lead to the root, and g is reversed
	to      []int32   // 1 + demand, by the node at its other end
	amount  []float64 // by node, relative to the largest demand
	unit    float64   // the largest demand
	nodes   []int32   // those with demands, in the order of the demands
	total   float64
	dist    []int32 // from the root, -1 for none
	hops    int     // the longest distance of a demand
	in      arrivals
	large   int // largeLayered
}

// oneRoot returns the fastest routes of a step with one root that is too large for an exact
// linear program; nil for other steps, or if it does not find them.
func (l *ladder) oneRoot(ctx context.Context, time func(Load) float64) (*Result, error) {
	if l.exact() || l.p.MaxHops > 0 || dilates(time) {
		return nil, nil
	}
	r, ok := newOneRoot(&l.p)
	if !ok {
		return nil, nil
	}
	return r.fastest(ctx, &l.p, l.cl, time)
}

// arrivals lists the bundles that arrive at each node.
type arrivals struct {
	start  []int32
	from   []int32
	bundle []int32
}

// newOneRoot reports false for other steps, for a step with two demands between the same nodes,
// and for one with a demand that cannot be met.
func newOneRoot(p *Problem) (*oneRoot, bool) {
	if len(p.Demands) < 2 || !p.Group.Trivial() {
		return nil, false
	}
	src, dst := p.Demands[0].Src, p.Demands[0].Dst
	outwards, inwards := true, true
	for _, d := range p.Demands {
		outwards = outwards && d.Src == src
		inwards = inwards && d.Dst == dst
	}
	if !outwards && !inwards {
		return nil, false
	}
	n := p.Graph.Nodes()
	r := &oneRoot{g: p.Graph, root: int32(src), inwards: inwards && !outwards, large: largeLayered, to: make([]int32, n), amount: make([]float64, n)}
	if r.inwards {
		r.g, r.root = p.Graph.Transpose(p.Graph.Name()), int32(dst)
	}
	for i, d := range p.Demands {
		v := d.Dst
		if r.inwards {
			v = d.Src
		}
		if r.to[v] > 0 {
			return nil, false
		}
		r.to[v], r.amount[v] = int32(i+1), d.Amount
		r.unit = max(r.unit, d.Amount)
		r.nodes = append(r.nodes, int32(v))
	}
	r.dist = make([]int32, n)
	r.g.Distances(int(r.root), r.dist, make([]int32, 0, n))
	for _, v := range r.nodes {
		if r.dist[v] < 0 {
			return nil, false
		}
		r.hops = max(r.hops, int(r.dist[v]))
		r.amount[v] /= r.unit
		r.total += r.amount[v]
	}
	r.in = newArrivals(r.g)
	return r, true
}

func newArrivals(g *topology.Graph) arrivals {
	n := g.Nodes()
	in := arrivals{start: make([]int32, n+1), from: make([]int32, g.Bundles()), bundle: make([]int32, g.Bundles())}
	for u := range n {
		to, _ := g.Row(u)
		for _, v := range to {
			in.start[v+1]++
		}
	}
	for v := range n {
		in.start[v+1] += in.start[v]
	}
	free := append([]int32(nil), in.start...)
	for u := range n {
		to, _ := g.Row(u)
		for i, v := range to {
			in.from[free[v]], in.bundle[free[v]] = int32(u), int32(g.RowStart(u)+i)
			free[v]++
		}
	}
	return in
}

// fastest returns the fastest routes, nil if it does not find them. More hops than the farthest
// node needs help only if the peak becomes smaller. So it tries each limit on hops from there
// on, until no possible peak makes up for another hop.
func (r *oneRoot) fastest(ctx context.Context, p *Problem, cl *classes, time func(Load) float64) (*Result, error) {
	open := r.countingBound()
	f, err := r.within(ctx, r.hops, open, false)
	if err != nil {
		return nil, err
	}
	if f.complete() {
		return r.result(p, cl, f, open, open)
	}
	if open, err = r.leastPeak(ctx, open); err != nil {
		return nil, err
	}
	var best *rootFlow
	least, bound := math.Inf(1), 0.0
	for hops := r.hops; time(Load{Peak: open * r.unit, Hops: hops}) < least; hops++ {
		if hops*r.g.Bundles() > mostLayered {
			return nil, nil
		}
		peak, err := r.leastWithin(ctx, hops, open)
		if err != nil {
			return nil, err
		}
		if now := time(Load{Peak: peak * r.unit, Hops: hops}); now < least {
			f, err := r.within(ctx, hops, peak, true)
			if err != nil || !f.complete() {
				return nil, err
			}
			best, least, bound = f, now, peak
		}
		if peak <= open*(1+roundingRoom) {
			break // no peak is smaller
		}
	}
	return r.result(p, cl, best, bound, open)
}

// within carries as much as possible at a peak over the given hops, at least those that the
// farthest node needs. If blocking flows do not carry all, a thorough one starts again without
// them, because the result depends on the order of the paths.
func (r *oneRoot) within(ctx context.Context, hops int, peak float64, thorough bool) (*rootFlow, error) {
	f, err := r.shortest(peak)
	if err != nil || f.complete() || hops*r.g.Bundles() > mostLayered {
		return f, err
	}
	if hops*r.g.Bundles() > r.large {
		f = f.layered(hops)
		if err := f.block(ctx); err != nil || f.complete() || !thorough {
			return f, err
		}
		if f, err = r.shortest(peak); err != nil {
			return nil, err
		}
	}
	f = f.layered(hops)
	return f, f.augment(ctx)
}

// countingBound is the function of that name, relative to the largest demand.
func (r *oneRoot) countingBound() float64 {
	work, room := 0.0, 0.0
	in := make([]float64, len(r.amount))
	for u := range r.g.Nodes() {
		to, count := r.g.Row(u)
		for i, v := range to {
			if int(v) != u {
				in[v] += float64(count[i])
				room += float64(count[i])
			}
		}
	}
	bound := 0.0
	for _, v := range r.nodes {
		work += r.amount[v] * float64(r.dist[v])
		bound = max(bound, r.amount[v]/in[v])
	}
	to, count := r.g.Row(int(r.root))
	out := 0.0
	for i, v := range to {
		if v != r.root {
			out += float64(count[i])
		}
	}
	return max(bound, work/room, r.total/out)
}

// shortest fills the shortest paths from the root as far as possible at a peak.
func (r *oneRoot) shortest(peak float64) (*rootFlow, error) {
	m, bundles, err := r.network(peak, func(u, v int32) bool { return r.dist[v] == r.dist[u]+1 })
	if err != nil {
		return nil, err
	}
	if _, err := m.Solve(int(r.root), r.g.Nodes()); err != nil {
		return nil, err
	}
	f := newRootFlow(r, peak)
	for k, b := range bundles {
		f.on[b] = m.Flow(k)
		f.room[b] -= f.on[b]
	}
	for k, v := range r.nodes {
		f.need[v] = max(0, r.amount[v]-m.Flow(len(bundles)+k))
	}
	return f, nil
}
