package timetable

import (
	"errors"
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/layout"
	"github.com/lightpath-net/lightpath/fabric/ports"
	"github.com/lightpath-net/lightpath/units"
)

// Step is circuits that are set up together, on the ports that they name. Other circuits stay,
// except for those that occupied one of these ports.
type Step struct {
	Name         string
	Start, Ready units.Time
	Circuits     []layout.Circuit
}

// OfSteps makes a timetable of circuits whose ports are known, given the circuits that are up
// before. Each step is a stage, which need not be a barrier for GPUs without a part in it.
func OfSteps(f *fabric.Fabric, up []layout.Circuit, steps []Step) (*Table, error) {
	t := &Table{Schema: Schema, Nodes: f.Nodes, Switches: ports.Switches(f), PortsPerGPU: f.Ports, Size: f.Nodes * f.Ports, Initial: f.Initial, Up: []Up{}, Stages: []Stage{}}
	if plugged := f.Plugging(); plugged != nil {
		t.Layout, t.Ports, t.plugged = f.Layout.String(), f.Ports, plugged
		t.Switches, t.PortsPerGPU = plugged.Switches(), plugged.Each()
		t.Size = f.Nodes * t.PortsPerGPU
	} else if t.Switches > 1 {
		return nil, errors.New("delays by switch need switches whose ports are known")
	}
	if len(up) == 0 {
		t.Initial = fabric.InitialFree
	}
	to, from := map[Fibre]Fibre{}, map[Fibre]Fibre{}
	ends := func(c layout.Circuit) Circuit {
		return Circuit{In: Fibre{GPU: c.From, Port: c.FromPort}, Out: Fibre{GPU: c.To, Port: c.ToPort}}
	}
	for _, c := range up {
		at := t.change(Connect, ends(c), 0, 0)
		t.Up = append(t.Up, Up{Switch: at.Switch, In: at.In, Out: at.Out, Ingress: at.Ingress, Egress: at.Egress})
		to[at.In], from[at.Out] = at.Out, at.In
	}
	for i, step := range steps {
		s := Stage{Stage: i + 1, Topology: step.Name, Barrier: step.Start, Ready: step.Ready, Changes: []Change{}}
		remove := func(in, out Fibre) {
			s.Changes = append(s.Changes, t.change(Disconnect, Circuit{In: in, Out: out}, step.Start, step.Ready))
			delete(to, in)
			delete(from, out)
		}
		var connect []Circuit
		for _, circuit := range step.Circuits {
			c := ends(circuit)
			if old, there := to[c.In]; there && old == c.Out {
				continue
			}
			if old, there := to[c.In]; there {
				remove(c.In, old)
			}
			if old, there := from[c.Out]; there {
				remove(old, c.Out)
			}
			connect = append(connect, c)
		}
		for _, c := range connect {
			s.Changes = append(s.Changes, t.change(Connect, c, step.Start, step.Ready))
			to[c.In], from[c.Out] = c.Out, c.In
		}
		slices.SortStableFunc(s.Changes, byActionAndSwitch)
		t.Stages = append(t.Stages, s)
	}
	return t, nil
}
