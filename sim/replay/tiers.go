package replay

import (
	"iter"
	"slices"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// tiers turns steps that use islands or fixed links into phases. The switch of island g is node
// n+g. Each GPU has one link to it and one from it, with the island's bandwidth. A hop within
// an island becomes two, with half of the propagation each; packets that cut through need at
// least a picosecond. A fixed link is a separate link. Where a stage also has circuits between
// the same GPUs, the link passes a node of its own (its twin), so that link and circuits have
// separate queues, even in a simulation of all stages at once.
type tiers struct {
	plan  *plan.Plan
	twins map[[2]int32]int32 // node that a fixed link passes, by the link's ends
	ends  [][2]int32         // of the twins
}

func newTiers(p *plan.Plan) *tiers {
	x := &tiers{plan: p}
	if p.Fabric.Fixed.IsZero() {
		return x
	}
	x.twins = map[[2]int32]int32{}
	for i := range p.Stages {
		for e := range p.Stages[i].Topology.Edges() {
			ends := [2]int32{int32(e.From), int32(e.To)}
			if _, known := x.twins[ends]; !known && p.Fabric.FixedCount(e.From, e.To) > 0 {
				x.twins[ends] = int32(p.Fabric.Nodes + p.Fabric.Islands() + len(x.ends))
				x.ends = append(x.ends, ends)
			}
		}
	}
	return x
}

// nodes counts GPUs, switches of islands and twins of fixed links.
func (x *tiers) nodes() int { return x.plan.Fabric.Nodes + x.plan.Fabric.Islands() + len(x.ends) }

// used reports over which tiers a step has hops.
func (x *tiers) used(circuits *topology.Graph, step *plan.Step) (optical, fixed, internal bool) {
	if !x.plan.Fabric.Tiered() {
		return true, false, false
	}
	for i := range step.Base {
		for _, r := range step.Base[i].Routes {
			for h := 1; h < len(r.Path); h++ {
				switch x.over(circuits, r.Path[h-1], r.Path[h]) {
				case plan.OverIsland:
					internal = true
				case plan.OverLink:
					fixed = true
				default:
					optical = true
				}
			}
		}
	}
	return optical, fixed, internal
}

// all lists the transfers of a step in the order in which GPUs send. If a step uses islands or
// fixed links, a GPU sends to the next GPUs first: if all began with GPU 0, they would queue
// for its exit from the island while the other exits idle. On circuits only, images of a
// transfer take turns together, so this cannot happen.
func (x *tiers) all(circuits *topology.Graph, step *plan.Step) iter.Seq[plan.Transfer] {
	every := step.All(x.plan.Collective.Space)
	if _, fixed, internal := x.used(circuits, step); !fixed && !internal {
		return every
	}
	n := x.plan.Fabric.Nodes
	offset := func(t *plan.Transfer) int { return arithmetic.Offset(t.Src, t.Dst, n) }
	return slices.Values(slices.SortedStableFunc(every, func(a, b plan.Transfer) int { return offset(&a) - offset(&b) }))
}

// over returns the tier of a hop.
func (x *tiers) over(circuits *topology.Graph, u, v int32) plan.Tier {
	return plan.TierOf(&x.plan.Fabric, circuits, int(u), int(v))
}

// links lists the links that are always up.
func (x *tiers) links() []topology.Edge {
	f := &x.plan.Fabric
	var edges []topology.Edge
	if f.Islands() > 0 {
		for u := range f.Nodes {
			hub := f.Nodes + u/f.Island.Size
			edges = append(edges, topology.Edge{From: u, To: hub, Count: 1}, topology.Edge{From: hub, To: u, Count: 1})
		}
	}
	if f.Fixed.IsZero() {
		return edges
	}
	for e := range f.FixedGraph().Edges() {
		if twin, passes := x.twins[[2]int32{int32(e.From), int32(e.To)}]; passes {
			edges = append(edges, topology.Edge{From: e.From, To: int(twin), Count: e.Count}, topology.Edge{From: int(twin), To: e.To, Count: e.Count})
			continue
		}
		edges = append(edges, e)
	}
	return edges
}

// network returns the circuits of a stage, and the links that are always up.
func (x *tiers) network(stage *plan.Stage) sim.Network {
	f := &x.plan.Fabric
	edges := append(slices.Collect(stage.Topology.Edges()), x.links()...)
	g := topology.New(x.nodes(), stage.Topology.Name(), edges)
	return sim.Network{Graph: g, Bandwidth: f.Bandwidth, Delay: f.Delta, Vary: x.vary(), Cutting: x.cutting()}
}

// cutting returns the first switch of an island. A hop within an island is one hop of the
// model, so its switch stores no packets, whatever GPUs do; neither do the twins of fixed
// links.
func (x *tiers) cutting() int { return x.plan.Fabric.Nodes }

// vary returns the properties of links and circuits.
func (x *tiers) vary() func(from, to int) (units.Bandwidth, units.Duration) {
	f := &x.plan.Fabric
	circuits := f.Circuits()
	twins := f.Nodes + f.Islands()
	half := func(delay units.Duration, first bool) units.Duration {
		if first {
			return max(delay/2, 1)
		}
		return max(delay-delay/2, 1)
	}
	return func(from, to int) (units.Bandwidth, units.Duration) {
		_, passes := x.twins[[2]int32{int32(from), int32(to)}]
		switch {
		case max(from, to) >= twins:
			return f.FixedBandwidth(), half(f.FixedDelta(), to >= twins)
		case max(from, to) >= f.Nodes:
			return f.Island.Bandwidth, half(f.IslandDelta(), to >= f.Nodes)
		case !passes && f.FixedCount(from, to) > 0:
			return f.FixedBandwidth(), max(f.FixedDelta(), 1)
		case circuits != nil:
			return circuits.Of(from, to)
		}
		return f.Bandwidth, f.Delta
	}
}

// through returns routes that pass the switches of islands and the twins of fixed links.
func (x *tiers) through(circuits *topology.Graph, routes []flow.Route) []flow.Route {
	f := &x.plan.Fabric
	if !f.Tiered() {
		return routes
	}
	all := make([]flow.Route, len(routes))
	for i, r := range routes {
		path := r.Path[:1:1]
		for h := 1; h < len(r.Path); h++ {
			u, v := r.Path[h-1], r.Path[h]
			switch x.over(circuits, u, v) {
			case plan.OverIsland:
				path = append(path, int32(f.Nodes)+u/int32(f.Island.Size))
			case plan.OverLink:
				if twin, passes := x.twins[[2]int32{u, v}]; passes {
					path = append(path, twin)
				}
			}
			path = append(path, v)
		}
		all[i] = flow.Route{Path: path, Share: r.Share}
	}
	return all
}

// phase is phaseOf on a fabric with islands or fixed links. A step that uses them is listed
// without symmetry, because the switch of an island stays in place while its GPUs are permuted.
func (x *tiers) phase(stage *plan.Stage, step *plan.Step) *sim.Phase {
	phase := plainPhase(x.plan, stage, step)
	optical, fixed, internal := x.used(stage.Topology, step)
	if !fixed && !internal {
		return phase
	}
	phase.Startup = 0
	for _, tier := range []struct {
		used  bool
		alpha units.Duration
	}{{optical, x.plan.Fabric.Alpha}, {fixed, x.plan.Fabric.FixedAlpha()}, {internal, x.plan.Fabric.IslandAlpha()}} {
		if tier.used {
			phase.Startup = max(phase.Startup, tier.alpha)
		}
	}
	phase.Network = x.network(stage)
	phase.Group, phase.Flows, phase.Routes = topology.Translations{}, nil, nil
	for t := range x.all(stage.Topology, step) {
		phase.Flows = append(phase.Flows, flowOf(x.plan, &t))
		phase.Routes = append(phase.Routes, x.through(stage.Topology, t.Routes))
	}
	return phase
}
