package replay

import (
	"slices"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// islands turns steps that use islands into phases. The switch of island g is node n+g: each GPU
// has one link to it and one from it, with the island's bandwidth. A hop within an island becomes
// two, with half of the propagation each; packets that cut through need a picosecond at least.
type islands struct {
	plan *plan.Plan
}

func newIslands(p *plan.Plan) *islands { return &islands{p} }

// used reports whether a step has hops over circuits and within islands.
func (x *islands) used(stage *plan.Stage, step *plan.Step) (optical, internal bool) {
	if x.plan.Fabric.Island.IsZero() {
		return true, false
	}
	for i := range step.Base {
		for _, r := range step.Base[i].Routes {
			for h := 1; h < len(r.Path); h++ {
				if x.inside(stage.Topology, r.Path[h-1], r.Path[h]) {
					internal = true
				} else {
					optical = true
				}
			}
		}
	}
	return optical, internal
}

// inside reports whether a hop goes through an island.
func (x *islands) inside(circuits *topology.Graph, u, v int32) bool {
	return x.plan.Fabric.SameIsland(int(u), int(v)) && circuits.Find(int(u), int(v)) < 0
}

// network is the circuits of a stage, and the islands.
func (x *islands) network(stage *plan.Stage) sim.Network {
	f := &x.plan.Fabric
	edges := slices.Collect(stage.Topology.Edges())
	for u := range f.Nodes {
		hub := f.Nodes + u/f.Island.Size
		edges = append(edges, topology.Edge{From: u, To: hub, Count: 1}, topology.Edge{From: hub, To: u, Count: 1})
	}
	g := topology.New(f.Nodes+f.Islands(), stage.Topology.Name(), edges)
	circuits := f.Circuits()
	vary := func(from, to int) (units.Bandwidth, units.Duration) {
		switch {
		case to >= f.Nodes:
			return f.Island.Bandwidth, max(f.IslandDelta()/2, 1)
		case from >= f.Nodes:
			return f.Island.Bandwidth, max(f.IslandDelta()-f.IslandDelta()/2, 1)
		case circuits != nil:
			return circuits.Of(from, to)
		}
		return f.Bandwidth, f.Delta
	}
	return sim.Network{Graph: g, Bandwidth: f.Bandwidth, Delay: f.Delta, Vary: vary}
}

// through returns routes that pass the switches of islands.
func (x *islands) through(circuits *topology.Graph, routes []flow.Route) []flow.Route {
	if x.plan.Fabric.Island.IsZero() {
		return routes
	}
	size, n := int32(x.plan.Fabric.Island.Size), int32(x.plan.Fabric.Nodes)
	all := make([]flow.Route, len(routes))
	for i, r := range routes {
		path := r.Path[:1:1]
		for h := 1; h < len(r.Path); h++ {
			if u := r.Path[h-1]; x.inside(circuits, u, r.Path[h]) {
				path = append(path, n+u/size)
			}
			path = append(path, r.Path[h])
		}
		all[i] = flow.Route{Path: path, Share: r.Share}
	}
	return all
}

// phase is phaseOf on a fabric with islands. A step that uses them is listed whole: the switch of
// an island stays where it is while its GPUs change places.
func (x *islands) phase(stage *plan.Stage, step *plan.Step) *sim.Phase {
	phase := plainPhase(x.plan, stage, step)
	optical, internal := x.used(stage, step)
	if !internal {
		return phase
	}
	phase.Startup = x.plan.Fabric.IslandAlpha()
	if optical {
		phase.Startup = max(phase.Startup, x.plan.Fabric.Alpha)
	}
	phase.Network = x.network(stage)
	phase.Group, phase.Flows, phase.Routes = topology.Translations{}, nil, nil
	for t := range step.All(x.plan.Collective.Space) {
		phase.Flows = append(phase.Flows, flowOf(x.plan, &t))
		phase.Routes = append(phase.Routes, x.through(stage.Topology, t.Routes))
	}
	return phase
}
