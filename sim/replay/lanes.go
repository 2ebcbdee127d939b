package replay

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Planes that reconfigure independently (plan.Lane) are simulated separately: GPU u has a node
// u + p*nodes for its port on plane p, so that a message's share on one plane cannot use
// parallel circuits of another. OnGPUs and Folded translate the results back to GPUs.

// planesTable records until when every plane is dark, by the simulation's clock.
type planesTable struct {
	plan   *plan.Plan
	planes []planePorts
}

// planePorts are the ports of all GPUs on one plane.
type planePorts struct {
	peer  []int          // by GPU: the other end of its circuit, or -1
	ended units.Duration // when the last packet on it arrived
	used  bool           // it has had circuits before
}

// planesProgram returns a plan with lanes as phases. If planes do not wait for one another,
// every plane is a track, and its turns are the phases.
func planesProgram(p *plan.Plan) sim.Program {
	return func(yield func(*sim.Phase, error) bool) {
		t := newPlanesTable(p)
		for stage, step := range p.Steps() {
			phase, planeOf, err := lanePhase(p, stage, step)
			if err != nil {
				yield(nil, fmt.Errorf("replay: step %d: %w", step.Index, err))
				return
			}
			if p.Independent {
				phase.Track = stage.Turn()
			}
			phase.Begin = func(now units.Duration) error { return t.begin(now, stage, phase, planeOf) }
			phase.End = func(done []units.Duration) { t.end(done, phase, planeOf) }
			if !yield(phase, nil) {
				return
			}
		}
	}
}

func newPlanesTable(p *plan.Plan) *planesTable {
	t := &planesTable{plan: p, planes: make([]planePorts, p.Fabric.Ports)}
	for k := range t.planes {
		t.planes[k].peer = slices.Repeat([]int{-1}, p.Fabric.Nodes)
	}
	return t
}

// lanePhase returns a step as a phase in which nothing is dark, and the plane of each of its
// flows.
func lanePhase(p *plan.Plan, stage *plan.Stage, step *plan.Step) (phase *sim.Phase, planeOf []int, err error) {
	n, planes := p.Fabric.Nodes, len(stage.Lanes)
	var edges []topology.Edge
	for k, lane := range stage.Lanes {
		if lane.Circuits == nil {
			continue
		}
		for e := range lane.Circuits.Edges() {
			edges = append(edges, topology.Edge{From: e.From + k*n, To: e.To + k*n, Count: e.Count})
		}
	}
	phase = &sim.Phase{
		Network: sim.Network{
			Graph: topology.New(n*planes, stage.Topology.Name(), edges), Bandwidth: p.Fabric.Bandwidth, Delay: p.Fabric.Delta,
		},
		Startup:   p.Fabric.Alpha,
		Reduction: reduction(p, step),
		Group:     onPlanes(step.Group, planes),
	}
	for i := range step.Base {
		x := &step.Base[i]
		for k, lane := range stage.Lanes {
			if lane.Circuits == nil {
				continue
			}
			routes, err := plan.LaneRoutes([]plan.Lane{{Circuits: lane.Circuits, Share: 1}}, x.Src, x.Dst)
			if err != nil {
				return nil, nil, err
			}
			path := slices.Clone(routes[0].Path)
			for h := range path {
				path[h] += int32(k * n)
			}
			phase.Flows = append(phase.Flows, sim.Flow{
				Src: path[0], Dst: path[len(path)-1], Bytes: wholeBytes(lane.Share * p.Bytes(x.Chunks)),
			})
			phase.Routes = append(phase.Routes, []flow.Route{{Path: path, Share: 1}})
			planeOf = append(planeOf, k)
		}
	}
	return phase, planeOf, nil
}

// onPlanes extends a group of GPUs to their nodes on planes; it maps every plane to itself.
func onPlanes(g topology.Translations, planes int) topology.Translations {
	if g.Trivial() {
		return topology.Translations{}
	}
	return topology.Translations{
		Dims: append([]int{planes}, g.Dims...), Stride: append([]int{planes}, g.Stride...),
	}
}

// begin is called when the previous step has ended. Planes that change have been dark since
// their own last packet arrived, and their flows start when they are up.
func (t *planesTable) begin(now units.Duration, stage *plan.Stage, phase *sim.Phase, planeOf []int) error {
	f := &t.plan.Fabric
	late := make([]units.Duration, len(stage.Lanes))
	earliest := units.Duration(-1)
	for k, lane := range stage.Lanes {
		if lane.Circuits == nil {
			continue
		}
		plane := &t.planes[k]
		if before := plane.graph(); !before.Equal(lane.Circuits) && (plane.used || f.Initial != fabric.InitialFree) {
			up := plane.ended + picoseconds(f.Reconfig.Delay(before, lane.Circuits)) + f.Sync
			late[k] = max(0, up-now)
		}
		plane.set(lane.Circuits)
		if earliest < 0 || late[k] < earliest {
			earliest = late[k]
		}
	}
	phase.Reconfiguration = max(0, earliest) // all flows wait for this
	for i, k := range planeOf {
		phase.Flows[i].Start = late[k] - phase.Reconfiguration
	}
	return nil
}

// end records when the last packet of every plane arrived.
func (t *planesTable) end(done []units.Duration, phase *sim.Phase, planeOf []int) {
	order := phase.Group.Order()
	for number, at := range done {
		plane := &t.planes[planeOf[number/order]]
		plane.ended = max(plane.ended, at)
	}
}

// graph returns the circuits of a plane.
func (p *planePorts) graph() *topology.Graph {
	var edges []topology.Edge
	for u, v := range p.peer {
		if v >= 0 {
			edges = append(edges, topology.Edge{From: u, To: v, Count: 1})
		}
	}
	return topology.New(len(p.peer), "", edges)
}

func (p *planePorts) set(g *topology.Graph) {
	for u := range p.peer {
		p.peer[u] = -1
	}
	for e := range g.Edges() {
		p.peer[e.From] = e.To
	}
	p.used = true
}

// OnGPUs returns an observer that receives events of GPUs instead of their nodes on planes, if
// the plan has planes. The circuit of a transmission is then the plane, from 0.
func OnGPUs(p *plan.Plan, o sim.Observer) sim.Observer {
	if !p.Staggered() || o == nil {
		return o
	}
	return onGPUs{p.Fabric.Nodes, o}
}

type onGPUs struct {
	nodes int
	sim.Observer
}

// Transmission implements sim.Observer.
func (o onGPUs) Transmission(t sim.Transmission) {
	t.Circuit = t.From / o.nodes
	t.From %= o.nodes
	t.To %= o.nodes
	o.Observer.Transmission(t)
}

// Phase implements sim.Observer: flows are listed one by one.
func (o onGPUs) Phase(index int, p *sim.Phase, r *sim.PhaseResult) {
	listed := *p
	listed.Flows, listed.Routes, listed.Group = nil, nil, topology.Translations{}
	for _, f := range p.Flows {
		for k := range p.Group.Order() {
			moved := f
			moved.Src = int32(p.Group.Apply(k, int(f.Src)) % o.nodes)
			moved.Dst = int32(p.Group.Apply(k, int(f.Dst)) % o.nodes)
			listed.Flows = append(listed.Flows, moved)
		}
	}
	o.Observer.Phase(index, &listed, r)
}

// Folded adds up the statistics of parallel circuits on several planes, if the plan's planes
// reconfigure independently.
func Folded(p *plan.Plan, links []sim.LinkResult) []sim.LinkResult {
	if !p.Staggered() {
		return links
	}
	n := p.Fabric.Nodes
	at := map[[2]int]int{}
	var folded []sim.LinkResult
	for _, l := range links {
		l.From %= n
		l.To %= n
		i, ok := at[[2]int{l.From, l.To}]
		if !ok {
			at[[2]int{l.From, l.To}] = len(folded)
			folded = append(folded, l)
			continue
		}
		sum := &folded[i]
		sum.Circuits += l.Circuits
		sum.Bytes += l.Bytes
		sum.Packets += l.Packets
		sum.Busy += l.Busy
		sum.QueuePeak = max(sum.QueuePeak, l.QueuePeak)
		sum.RelayPeak = max(sum.RelayPeak, l.RelayPeak)
	}
	slices.SortFunc(folded, func(a, b sim.LinkResult) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	return folded
}
