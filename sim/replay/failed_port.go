package replay

import (
	"fmt"

	"github.com/lightpath-net/lightpath/fabric/ports"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/sim"
)

// portCircuits are the circuits on one port of a GPU, stage by stage.
type portCircuits struct {
	plane int   // of a plan with lanes, where all circuits of the plane count; else -1
	stage []int // of each phase
	on    []map[bundled]bool
}

// bundled is a circuit of a bundle between two nodes.
type bundled struct{ from, to, circuit int }

// has reports whether a transmission is on the port. One of its ends is known to be at the
// port's GPU.
func (c *portCircuits) has(t *sim.Transmission) bool {
	if c.plane >= 0 {
		return t.Circuit == c.plane
	}
	return c.on[c.stage[t.Phase]][bundled{t.From, t.To, t.Circuit}]
}

// OnPorts finds the circuits of failed ports by the plan's wiring, as timetables and emulations
// do: circuits that stay keep their ports, and the first circuit of a bundle is on the lowest
// transmit port. A failed port must exist; messages without a plan have no ports.
func (l *Losses) OnPorts(p *plan.Plan) error {
	for i := range l.failures {
		f := &l.failures[i]
		if !f.OnePort {
			continue
		}
		if p == nil {
			return field.Errorf(field.Index("fail", i), "%v: ports are those of a plan; name a link", f)
		}
		port := f.Port
		if port == LastPort {
			port = p.Fabric.Ports - 1
		}
		if port < 0 || port >= p.Fabric.Ports {
			return field.Errorf(field.Index("fail", i), "%v: there is no port %d; ports are 0 to %d", f, port, p.Fabric.Ports-1)
		}
		found, err := circuitsOnPort(p, f.From, port)
		if err != nil {
			return field.In(field.Index("fail", i), err)
		}
		l.ports[i] = found
	}
	return nil
}

// circuitsOnPort lists the circuits on a GPU's port in every stage.
func circuitsOnPort(p *plan.Plan, gpu, port int) (*portCircuits, error) {
	c := &portCircuits{plane: -1}
	if p.Staggered() {
		c.plane = port // a plane is one port of every GPU
		return c, nil
	}
	wiring := ports.None(&p.Fabric)
	for i := range p.Stages {
		next, err := p.Wire(wiring, i)
		if err != nil {
			return nil, fmt.Errorf("stage %d: %w", i+1, err)
		}
		wiring = next
		bundle := map[[2]int]int{} // number of circuits seen between two nodes
		on := map[bundled]bool{}
		for circuit := range wiring.Circuits() {
			ends := [2]int{circuit.In.GPU, circuit.Out.GPU}
			if circuit.In == (ports.Fibre{GPU: gpu, Port: port}) || circuit.Out == (ports.Fibre{GPU: gpu, Port: port}) {
				on[bundled{ends[0], ends[1], bundle[ends]}] = true
			}
			bundle[ends]++
		}
		c.on = append(c.on, on)
		for range p.Stages[i].Steps {
			c.stage = append(c.stage, i)
		}
	}
	return c, nil
}
