package pricing

import (
	"context"
	"errors"
	"math"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// This file prices steps on circuits that differ. The multiplicity of a bundle is its bandwidth
// in units of the common bandwidth of all circuits (fabric.Uneven), so everything that package
// flow does for bundles holds for bandwidths. Different delays become hops: a circuit with three
// times the common delay is a path of three hops, and the fastest routes are found as among equal
// circuits (stretched). A topology without any of the circuits that differ is priced as usual.

// Uneven returns the circuits of a candidate if some of them differ, or nil.
func (w *Workload) Uneven(c *Candidate) *fabric.Uneven {
	if w.Circuits == nil {
		return nil
	}
	if !c.wired {
		c.wired = true
		if g := c.Topology(); w.Circuits.Differ(g) {
			c.wires = w.Circuits.On(g)
		}
	}
	return c.wires
}

// unevenly is look for circuits that differ. A hop takes at least the shortest delay and at most
// the longest.
func (w *Workload) unevenly(ctx context.Context, wires *fabric.Uneven, class *Class) (Judgement, error) {
	floor, shortest, err := flow.Floor(ctx, w.unevenProblem(wires, class))
	switch {
	case errors.Is(err, flow.ErrUnreachable):
		return judged(math.Inf(1)), nil
	case err != nil:
		return Judgement{}, err
	}
	exact := wires.Least == wires.Most && floor == shortest && w.Fabric.Routing != flow.ShortestSplit &&
		(w.Fabric.Forwarding == fabric.CutThrough || floor.Dilation <= floor.Peak)
	if exact {
		return judged(w.priceUneven(wires, floor, wires.Least, class)), nil
	}
	floor.Dilation = 0
	j := Judgement{Looked: true, Cost: w.priceUneven(wires, floor, wires.Least, class), Most: math.Inf(1)}
	if w.Fabric.Routing != flow.ShortestSplit {
		j.Most = w.priceUneven(wires, shortest, wires.Most, class)
	}
	return j, nil
}

// priceUneven returns the time of a load if every hop takes the given delay.
func (w *Workload) priceUneven(wires *fabric.Uneven, load flow.Load, delay units.Duration, class *Class) float64 {
	flight := delay.Time() * units.Time(load.Hops)
	return float64(plan.CostOn(w.Fabric, wires, load, flight, class.pair, class.reduced).Total())
}

// unevenProblem returns the routing problem of a step on circuits that differ, reduced by the
// symmetry that they share.
func (w *Workload) unevenProblem(wires *fabric.Uneven, class *Class) flow.Problem {
	group := class.Step.Group.Within(wires.Kinds)
	return flow.Problem{Graph: wires.Shares, Demands: class.under(group), Group: group}
}

// routeUneven is Route on circuits that differ. The result is only the best of three routings if
// the step is too large for flow.FastestDelayed and either every hop sends all bytes again or
// delays differ and cannot be written as hops: the fastest if all circuits had the shortest
// delay, the fastest if all had the longest, and shortest paths. Only in this case may a better
// circuit make a step slower.
func (w *Workload) routeUneven(ctx context.Context, wires *fabric.Uneven, class *Class, within float64) (*Routed, error) {
	problem := w.unevenProblem(wires, class)
	as := func(delay units.Duration) func(flow.Load) float64 {
		return func(l flow.Load) float64 { return w.priceUneven(wires, l, delay, class) }
	}
	priced := func(p *flow.Problem, r *flow.Result) *Routed {
		return &Routed{p.Group, r.Routes, plan.CostOn(w.Fabric, wires, r.Load, plan.Flight(wires, r.Routes), class.pair, class.reduced), r.Approximate}
	}
	stored := w.Fabric.Forwarding == fabric.StoreAndForward
	if w.Fabric.Routing != flow.Optimal || wires.Least == wires.Most && !stored {
		r, err := flow.FastestWithin(ctx, problem, w.Fabric.Routing, as(wires.Least), within)
		if err != nil {
			return nil, err
		}
		return priced(&problem, r), nil
	}
	if long, ok := stretch(wires); ok && !stored {
		return w.routeStretched(ctx, wires, long, class, within)
	}
	r, fastest, err := flow.FastestDelayed(ctx, flow.Delayed{
		Problem: problem, Serial: stored,
		Delay: func(from, to int) int64 { _, delay := wires.Of(from, to); return int64(delay) },
		Time: func(l flow.Load, flight int64) float64 {
			return float64(plan.CostOn(w.Fabric, wires, l, units.Duration(flight).Time(), class.pair, class.reduced).Total())
		},
	})
	if err != nil {
		return nil, err
	}
	var best *Routed
	if r != nil {
		best = priced(&problem, r)
	}
	if fastest {
		return best, nil
	}
	for _, way := range []struct {
		policy flow.Policy
		delay  units.Duration
	}{{flow.Optimal, wires.Least}, {flow.Optimal, wires.Most}, {flow.Shortest, wires.Least}} {
		r, err := flow.Fastest(ctx, problem, way.policy, as(way.delay))
		if err != nil {
			return nil, err
		}
		if p := priced(&problem, r); best == nil || p.Cost.Total() < best.Cost.Total() {
			best = p
		}
	}
	best.Approximate = true
	return best, nil
}

// stretched is circuits in which every hop takes the same delay. Longer circuits pass through
// extra nodes, numbered after all others.
type stretched struct {
	graph *topology.Graph
	hop   units.Duration
}

// maxStretched is the number of bundles up to which circuits are stretched. A linear program has
// a row for each bundle, and there is a program for every number of hops. With 16 GPUs, 4 ports
// and delays of 3, 5 and 20 times the common one, a step took seconds on each of some hundred
// topologies.
const maxStretched = 1 << 7

// stretch writes the delays of circuits as hops. It reports false if a circuit has no delay or
// there would be too many hops.
func stretch(wires *fabric.Uneven) (*stretched, bool) {
	hop, bundles := units.Duration(0), 0
	for e := range wires.Shares.Edges() {
		_, delay := wires.Of(e.From, e.To)
		if delay == 0 {
			return nil, false
		}
		hop = units.Duration(arithmetic.GCD(int64(hop), int64(delay)))
	}
	for e := range wires.Shares.Edges() {
		_, delay := wires.Of(e.From, e.To)
		if delay/hop > maxStretched {
			return nil, false
		}
		if bundles += int(delay / hop); bundles > maxStretched {
			return nil, false
		}
	}
	nodes := wires.Shares.Nodes()
	edges := make([]topology.Edge, 0, bundles)
	for e := range wires.Shares.Edges() {
		_, delay := wires.Of(e.From, e.To)
		for from := e.From; ; nodes++ {
			if delay -= hop; delay == 0 {
				edges = append(edges, topology.Edge{From: from, To: e.To, Count: e.Count})
				break
			}
			edges = append(edges, topology.Edge{From: from, To: nodes, Count: e.Count})
			from = nodes
		}
	}
	return &stretched{topology.New(nodes, "", edges), hop}, true
}

// routeStretched finds the fastest routes with delays as hops. It does not use the step's
// symmetry, which says nothing about the extra nodes.
func (w *Workload) routeStretched(ctx context.Context, wires *fabric.Uneven, long *stretched, class *Class, within float64) (*Routed, error) {
	time := func(l flow.Load) float64 { return w.priceUneven(wires, l, long.hop, class) }
	none := topology.Translations{}
	demands := class.under(none) // not class.All, which other goroutines may be writing
	r, err := flow.FastestWithin(ctx, flow.Problem{Graph: long.graph, Demands: demands}, flow.Optimal, time, within)
	if err != nil {
		return nil, err
	}
	routes := make([][]flow.Route, len(r.Routes))
	for i, ways := range r.Routes {
		for _, way := range ways {
			short := make([]int32, 0, len(way.Path))
			for _, u := range way.Path {
				if int(u) < wires.Shares.Nodes() {
					short = append(short, u)
				}
			}
			routes[i] = append(routes[i], flow.Route{Path: short, Share: way.Share})
		}
	}
	load, err := flow.LoadOf(wires.Shares, none, demands, routes)
	if err != nil {
		return nil, err
	}
	return &Routed{none, routes, plan.CostOn(w.Fabric, wires, load, plan.Flight(wires, routes), class.pair, class.reduced), r.Approximate}, nil
}
