package program

import (
	"fmt"

	"github.com/lightpath-net/lightpath/emulate/wire"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/topology"
)

// Wiring is the circuits of a topology with their ports.
type Wiring struct {
	Circuits []wire.Circuit
	// out are the ports of a node from which circuits lead to another, in ascending order.
	out map[[2]int][]int
	// since is the stage that set the circuit of a port (node*ports + port) up; -1: it was
	// up before the first.
	since map[int]int
	// in is the node whose circuit ends at a port (node*ports + port), or -1.
	in []int32
}

// Ports returns the ports of u from which circuits lead to v.
func (w *Wiring) Ports(u, v int) []int { return w.out[[2]int{u, v}] }

// Assign gives the circuits of a topology their ports. Circuits that the wiring before has
// keep theirs, so that only what changes goes dark; the others take the lowest ports that
// are free. A port's two fibres may lead to different peers, unless the fabric is duplex:
// then a circuit and its way back are on the same two ports.
//
// There is always a port left: a node has no more circuits than ports (fabric.Fits), and a
// circuit needs one at each of its ends, whichever.
func Assign(f *fabric.Fabric, g *topology.Graph, before *Wiring) (*Wiring, error) {
	if err := f.Fits(g); err != nil {
		return nil, err
	}
	a := &assigner{
		ports: f.Ports, send: make([]bool, f.Nodes*f.Ports), receive: make([]bool, f.Nodes*f.Ports),
		missing: map[[2]int]int{},
	}
	for e := range g.Edges() {
		a.missing[[2]int{e.From, e.To}] = e.Count
	}
	if before != nil {
		for _, c := range before.Circuits {
			if pair := [2]int{c.From, c.To}; a.missing[pair] > 0 {
				a.missing[pair]--
				a.set(c)
			}
		}
	}
	for e := range g.Edges() {
		for a.missing[[2]int{e.From, e.To}] > 0 {
			if err := a.add(e.From, e.To, f.Duplex); err != nil {
				return nil, err
			}
		}
	}
	return a.wiring(f.Nodes), nil
}

type assigner struct {
	ports         int
	send, receive []bool // fibres in use
	missing       map[[2]int]int
	circuits      []wire.Circuit
}

func (a *assigner) set(c wire.Circuit) {
	a.send[c.From*a.ports+c.FromPort], a.receive[c.To*a.ports+c.ToPort] = true, true
	a.circuits = append(a.circuits, c)
}

// add sets a circuit from u to v; on a duplex fabric the way back too.
func (a *assigner) add(u, v int, duplex bool) error {
	free := func(node int, fibres ...[]bool) int {
		for p := range a.ports {
			used := false
			for _, f := range fibres {
				used = used || f[node*a.ports+p]
			}
			if !used {
				return p
			}
		}
		return -1
	}
	var p, q int
	if two := duplex && u != v; two {
		p, q = free(u, a.send, a.receive), free(v, a.send, a.receive)
	} else {
		p, q = free(u, a.send), free(v, a.receive)
	}
	if p < 0 || q < 0 {
		return fmt.Errorf("no port is left for a circuit from %d to %d", u, v)
	}
	a.set(wire.Circuit{From: u, FromPort: p, To: v, ToPort: q})
	a.missing[[2]int{u, v}]--
	if duplex && u != v {
		a.set(wire.Circuit{From: v, FromPort: q, To: u, ToPort: p})
		a.missing[[2]int{v, u}]--
	}
	return nil
}

func (a *assigner) wiring(nodes int) *Wiring {
	w := &Wiring{Circuits: a.circuits, out: map[[2]int][]int{}, in: make([]int32, nodes*a.ports)}
	for i := range w.in {
		w.in[i] = -1
	}
	for _, c := range a.circuits {
		pair := [2]int{c.From, c.To}
		w.out[pair] = append(w.out[pair], c.FromPort)
		w.in[c.To*a.ports+c.ToPort] = int32(c.From)
	}
	return w
}

// date says since when each circuit is up: since this stage, or since one before.
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
