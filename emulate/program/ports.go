package program

import (
	"github.com/lightpath-net/lightpath/emulate/wire"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/ports"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
)

// Wiring is the circuits of a topology with their ports.
type Wiring struct {
	Circuits []wire.Circuit
	ports    *ports.Wiring
	// out are the ports of a node from which circuits lead to another, in ascending order.
	out map[[2]int][]int
	// since is the stage that set up the circuit of a port (node*ports + port); -1: it was up
	// before the first stage.
	since map[int]int
	// in is the node whose circuit ends at a port (node*ports + port), or -1.
	in []int32
}

// Ports returns the ports of u from which circuits lead to v.
func (w *Wiring) Ports(u, v int) []int { return w.out[[2]int{u, v}] }

// Assign gives the circuits of a topology their ports, as timetables do (ports.Wiring.Next).
// Circuits of the previous wiring keep their ports.
func Assign(f *fabric.Fabric, g *topology.Graph, before *Wiring) (*Wiring, error) {
	if err := f.Fits(g); err != nil {
		return nil, err
	}
	now := ports.None(f)
	if before != nil {
		now = before.ports
	}
	next, err := now.Next(g)
	if err != nil {
		return nil, err
	}
	return wired(f, next), nil
}

// assign is Assign for a stage of a plan, which may give the ports itself.
func assign(p *plan.Plan, stage int, before *Wiring) (*Wiring, error) {
	if err := p.Fabric.Fits(p.Stages[stage].Topology); err != nil {
		return nil, err
	}
	var now *ports.Wiring
	if before != nil {
		now = before.ports
	}
	next, err := p.Wire(now, stage)
	if err != nil {
		return nil, err
	}
	return wired(&p.Fabric, next), nil
}

// wired indexes the circuits of a wiring.
func wired(f *fabric.Fabric, next *ports.Wiring) *Wiring {
	w := &Wiring{ports: next, out: map[[2]int][]int{}, in: make([]int32, f.Nodes*f.Ports)}
	for i := range w.in {
		w.in[i] = -1
	}
	for c := range next.Circuits() {
		w.Circuits = append(w.Circuits, wire.Circuit{From: c.In.GPU, FromPort: c.In.Port, To: c.Out.GPU, ToPort: c.Out.Port})
		pair := [2]int{c.In.GPU, c.Out.GPU}
		w.out[pair] = append(w.out[pair], c.In.Port)
		w.in[c.Out.GPU*f.Ports+c.Out.Port] = int32(c.In.GPU)
	}
	return w
}

// date records since which stage each circuit is up: this one, or an earlier one.
func (w *Wiring) date(stage int, before *Wiring, ports int) {
	old := map[wire.Circuit]int{}
	if before != nil {
		for _, c := range before.Circuits {
			old[c] = before.since[c.From*ports+c.FromPort]
		}
	}
	w.since = make(map[int]int, len(w.Circuits))
	for _, c := range w.Circuits {
		at, stays := old[c]
		if !stays {
			at = stage
		}
		w.since[c.From*ports+c.FromPort] = at
	}
}
