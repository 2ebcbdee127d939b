package timetable

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/ports"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// ofPlanes makes the timetable of a plan whose planes reconfigure independently: plane p is
// switch p, and port p of every GPU is on it. A stage of the table is one reconfiguration of one
// switch, in the order of the commands; its barrier is when the last byte on that plane has
// arrived at all GPUs. On a fabric whose first circuits are free, stage 1 sets up the first
// circuits of all planes.
func ofPlanes(p *plan.Plan) (*Table, error) {
	n, planes := p.Fabric.Nodes, p.Fabric.Ports
	t := &Table{Schema: Schema, Nodes: n, Switches: planes, PortsPerGPU: 1, Size: n, Initial: p.Fabric.Initial, Up: []Up{}, Stages: []Stage{}}
	now := ports.OnPlanes(&p.Fabric)
	up, err := p.Fabric.InitialTopology()
	if err != nil {
		return nil, err
	}
	times, err := p.LaneTimes()
	if err != nil {
		return nil, err
	}
	if up == nil {
		t.Initial = fabric.InitialFree
		first := Stage{Topology: p.Stages[0].Topology.Name()}
		seen := make([]bool, planes)
		for _, at := range times {
			if plane := at.Plane - 1; !seen[plane] {
				seen[plane] = true
				t.rewire(&first, now, plane, p.Stages[at.Stage].Lanes[plane].Circuits, 0, at.Begin)
			}
		}
		t.add(first)
	} else {
		if now, err = now.Next(up); err != nil {
			return nil, fmt.Errorf("initial: %w", err)
		}
		t.begin(now)
	}
	commands := slices.DeleteFunc(times, func(at plan.LaneTime) bool { return at.Over == at.At })
	slices.SortStableFunc(commands, func(a, b plan.LaneTime) int { return cmp.Compare(a.At, b.At) })
	for _, at := range commands {
		g := p.Stages[at.Stage].Lanes[at.Plane-1].Circuits
		s := Stage{Topology: fmt.Sprintf("%s on switch %d", g.Name(), at.Plane-1), Barrier: at.At, Ready: at.Over}
		t.rewire(&s, now, at.Plane-1, g, at.At, at.Begin)
		t.add(s)
	}
	return t, nil
}

// add numbers a stage.
func (t *Table) add(s Stage) {
	s.Stage = len(t.Stages) + 1
	if s.Changes == nil {
		s.Changes = []Change{}
	}
	t.Stages = append(t.Stages, s)
}

// rewire gives a plane new circuits: it removes all old ones before it adds any.
func (t *Table) rewire(s *Stage, now *ports.Wiring, plane int, g *topology.Graph, earliest, latest units.Time) {
	var lost []Circuit
	for c := range now.Circuits() {
		if c.In.Port == plane && g.Count(c.In.GPU, c.Out.GPU) == 0 {
			lost = append(lost, c)
		}
	}
	for _, c := range lost {
		now.Disconnect(c.In)
		s.Changes = append(s.Changes, t.change(Disconnect, c, earliest, latest))
	}
	for e := range g.Edges() {
		c := Circuit{In: Fibre{GPU: e.From, Port: plane}, Out: Fibre{GPU: e.To, Port: plane}}
		if now.To(c.In) != c.Out {
			now.Connect(c)
			s.Changes = append(s.Changes, t.change(Connect, c, earliest, latest))
		}
	}
}
