package timetable

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/layout"
	"github.com/lightpath-net/lightpath/fabric/ports"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

// Schema names the form of a timetable.
const Schema = "lightpath.timetable/v1"

// Fibre is a port of a GPU.
type Fibre = ports.Fibre

// Circuit is a cross-connect from a transmit fibre to a receive fibre.
type Circuit = ports.Circuit

// Action is what a command does to a cross-connect.
type Action string

// The actions.
const (
	Disconnect Action = "disconnect"
	Connect    Action = "connect"
)

// Change is one command to a switch. It must not run before Earliest, when the last step that
// uses the removed cross-connect has ended. It must have taken effect by Latest, when the first
// step that uses the new one begins.
type Change struct {
	Switch   int        `json:"switch"`
	Action   Action     `json:"action"`
	In       Fibre      `json:"in"`  // transmit fibre
	Out      Fibre      `json:"out"` // receive fibre
	Ingress  int        `json:"ingress"`
	Egress   int        `json:"egress"`
	Earliest units.Time `json:"earliest_ns"`
	Latest   units.Time `json:"latest_ns"`
}

// Up is a cross-connect that exists before the first command.
type Up struct {
	Switch  int   `json:"switch"`
	In      Fibre `json:"in"`  // transmit fibre
	Out     Fibre `json:"out"` // receive fibre
	Ingress int   `json:"ingress"`
	Egress  int   `json:"egress"`
}

// Stage lists the changes before the steps of a stage. All disconnects come before all connects,
// so that no receiver ever sees two transmitters.
type Stage struct {
	Stage    int        `json:"stage"`
	Topology string     `json:"topology"`
	Barrier  units.Time `json:"barrier_ns"` // all ranks have ended the stage before
	Ready    units.Time `json:"ready_ns"`   // all circuits are up
	Changes  []Change   `json:"changes"`
}

// Table is a whole timetable. Switches number their ingress ports from 1, and their egress ports
// after them: fibre k of GPU u on a switch is ingress u*PortsPerGPU+k+1, and its egress port is
// Size higher. With a layout, fibre k is the GPU's k-th port on that switch.
type Table struct {
	Schema      string `json:"schema"`
	Nodes       int    `json:"nodes"`
	Switches    int    `json:"switches"`
	PortsPerGPU int    `json:"ports_per_gpu"` // on each switch
	Size        int    `json:"size"`          // ingress ports of a switch, and as many egress ports
	// Layout says how ports are plugged into switches, unless port p is on switch p modulo the
	// number of switches. Ports is then how many ports a GPU has.
	Layout string `json:"layout,omitempty"`
	Ports  int    `json:"ports,omitempty"`
	// PortMap, if given, says where ports are plugged in; the switches are then Names[0],
	// Names[1], .., and ingress and egress are the map's numbers.
	PortMap PortMap  `json:"port_map,omitempty"`
	Names   []string `json:"names,omitempty"`
	Initial string   `json:"initial"`
	// Up lists the cross-connects of Initial on the ports that the plan assumes. If the circuits
	// are on other ports, set these cross-connects first.
	Up     []Up    `json:"up"`
	Stages []Stage `json:"stages"`

	plugged *layout.Plugging // of Layout
}

// Of makes the timetable of a priced plan.
func Of(p *plan.Plan) (*Table, error) {
	if p.Staggered() {
		return ofPlanes(p)
	}
	n, switches := p.Fabric.Nodes, ports.Switches(&p.Fabric)
	each := arithmetic.CeilDiv(p.Fabric.Ports, switches)
	t := &Table{Schema: Schema, Nodes: n, Switches: switches, PortsPerGPU: each, Size: n * each, Initial: p.Fabric.Initial, Up: []Up{}, Stages: []Stage{}}
	if plugged := p.Fabric.Plugging(); plugged != nil {
		t.Layout, t.Ports, t.plugged = p.Fabric.Layout.String(), p.Fabric.Ports, plugged
		t.Switches, t.PortsPerGPU = plugged.Switches(), plugged.Each()
		t.Size = n * t.PortsPerGPU
	}
	now := ports.None(&p.Fabric)
	up, err := p.Fabric.InitialTopology()
	if err != nil {
		return nil, err
	}
	if up != nil {
		if now, err = now.Next(up); err != nil {
			return nil, fmt.Errorf("initial: %w", err)
		}
		t.begin(now)
	} else {
		t.Initial = fabric.InitialFree
	}
	times := &uses{last: map[[2]int]units.Time{}}
	for i := range p.Stages {
		stage := &p.Stages[i]
		next, err := p.Wire(now, i)
		if err != nil {
			return nil, fmt.Errorf("stage %d: %w", i+1, err)
		}
		ended := times.enter(p, stage)
		s := Stage{Stage: i + 1, Topology: stage.Topology.Name(), Barrier: stage.Start, Ready: stage.Start + stage.Reconfiguration, Changes: []Change{}}
		for c := range now.Circuits() {
			if next.To(c.In) != c.Out {
				s.Changes = append(s.Changes, t.change(Disconnect, c, times.end(c), s.Ready))
			}
		}
		disconnects := len(s.Changes)
		for c := range next.Circuits() {
			if now.To(c.In) == c.Out {
				continue
			}
			earliest := units.Time(0)
			if old := now.To(c.In); old != ports.Dark {
				earliest = max(earliest, times.end(Circuit{In: c.In, Out: old}))
			}
			if old := now.From(c.Out); old != ports.Dark {
				earliest = max(earliest, times.end(Circuit{In: old, Out: c.Out}))
			}
			s.Changes = append(s.Changes, t.change(Connect, c, earliest, times.begin(c, s.Ready)))
		}
		disconnectInTime(s.Changes[:disconnects], s.Changes[disconnects:])
		slices.SortStableFunc(s.Changes, byActionAndSwitch)
		t.Stages = append(t.Stages, s)
		now, times.last = next, ended
	}
	return t, nil
}

// byActionAndSwitch orders disconnects before connects, and each by switches.
func byActionAndSwitch(a, b Change) int {
	return cmp.Or(-cmp.Compare(a.Action, b.Action), cmp.Compare(a.Switch, b.Switch))
}

// begin notes what is up before the first command.
func (t *Table) begin(w *ports.Wiring) {
	for c := range w.Circuits() {
		at := t.change(Connect, c, 0, 0)
		t.Up = append(t.Up, Up{Switch: at.Switch, In: at.In, Out: at.Out, Ingress: at.Ingress, Egress: at.Egress})
	}
}

// change returns a command.
func (t *Table) change(action Action, c Circuit, earliest, latest units.Time) Change {
	number := func(f Fibre) int { return f.GPU*t.PortsPerGPU + t.nth(f) + 1 }
	return Change{
		Switch: t.switchOf(c.In), Action: action, In: c.In, Out: c.Out,
		Ingress: number(c.In), Egress: t.Size + number(c.Out), Earliest: earliest, Latest: latest,
	}
}

// switchOf returns the switch of a port.
func (t *Table) switchOf(f Fibre) int {
	if t.plugged != nil {
		return t.plugged.Switch(f.GPU, f.Port)
	}
	return f.Port % t.Switches
}

// nth returns the index of a port among its GPU's ports on the same switch.
func (t *Table) nth(f Fibre) int {
	if t.plugged != nil {
		return t.plugged.Nth(f.GPU, f.Port)
	}
	return f.Port / t.Switches
}

// disconnectInTime makes disconnects take effect before the connects that reuse their fibres.
func disconnectInTime(disconnects, connects []Change) {
	in, out := map[Fibre]units.Time{}, map[Fibre]units.Time{}
	for i := range connects {
		in[connects[i].In], out[connects[i].Out] = connects[i].Latest, connects[i].Latest
	}
	for i := range disconnects {
		d := &disconnects[i]
		if at, taken := in[d.In]; taken {
			d.Latest = min(d.Latest, at)
		}
		if at, taken := out[d.Out]; taken {
			d.Latest = min(d.Latest, at)
		}
		d.Latest = max(d.Latest, d.Earliest)
	}
}

// uses records when circuits are in use around the beginning of a stage.
type uses struct {
	last, first map[[2]int]units.Time
}

// enter notes when the pairs of a stage are first used. It returns when each pair was last
// used up to the end of the stage.
func (u *uses) enter(p *plan.Plan, stage *plan.Stage) map[[2]int]units.Time {
	u.first = map[[2]int]units.Time{}
	ended := maps.Clone(u.last)
	for j := range stage.Steps {
		step := &stage.Steps[j]
		for t := range step.All(p.Collective.Space) {
			for _, route := range t.Routes {
				for h := range len(route.Path) - 1 {
					pair := [2]int{int(route.Path[h]), int(route.Path[h+1])}
					ended[pair] = max(ended[pair], step.Start+step.Cost.Total())
					if at, known := u.first[pair]; !known || step.Start < at {
						u.first[pair] = step.Start
					}
				}
			}
		}
	}
	return ended
}

// end returns when a circuit was last used; 0 if never.
func (u *uses) end(c Circuit) units.Time { return u.last[[2]int{c.In.GPU, c.Out.GPU}] }

// begin returns when a circuit is first used or, if it is never used, when all circuits are up.
func (u *uses) begin(c Circuit, ready units.Time) units.Time {
	if at, known := u.first[[2]int{c.In.GPU, c.Out.GPU}]; known {
		return at
	}
	return ready
}
