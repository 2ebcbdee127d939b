package ports

import (
	"fmt"
	"iter"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/layout"
	"github.com/lightpath-net/lightpath/topology"
)

// Fibre is a port of a GPU, as the place where it sends or where it receives.
type Fibre struct {
	GPU  int `json:"gpu"`
	Port int `json:"port"`
}

// Circuit is a cross-connect from a transmit fibre to a receive fibre.
type Circuit struct {
	In  Fibre `json:"in"`
	Out Fibre `json:"out"`
}

// Dark is the peer of a fibre that is not connected.
var Dark = Fibre{GPU: -1}

// gone is the peer of a fibre whose port has failed or is held by another job.
var gone = Fibre{GPU: -2}

// Wiring says which fibre leads where. Port p of a GPU is on switch p modulo the number of
// switches, or where the fabric's layout says, and a circuit is within one switch. With one
// switch a port's two fibres may lead to different peers, unless the fabric is duplex: then a
// circuit and its reverse use the same two ports.
type Wiring struct {
	ports    int
	switches int
	duplex   bool
	// ahead makes circuits prefer ports that are also dark before: these can be set while the
	// others still send.
	ahead bool
	// plugged is nil if all ports are on one switch, or port p is on switch p modulo their number.
	plugged *fabric.Fabric
	tx, rx  [][]Fibre // peers of transmit and of receive fibres, by GPU and port
}

// None returns the wiring of a fabric on which nothing is connected.
func None(f *fabric.Fabric) *Wiring { return newWiring(f, Switches(f)) }

// OnPlanes is None with a switch for every port.
func OnPlanes(f *fabric.Fabric) *Wiring { return newWiring(f, f.Ports) }

// Switches returns the number of switches that a fabric has.
func Switches(f *fabric.Fabric) int {
	if k, whole := f.Switches(); whole {
		return k
	}
	return 1
}

func newWiring(f *fabric.Fabric, switches int) *Wiring {
	w := &Wiring{ports: f.Ports, switches: switches, duplex: f.Duplex && switches == 1, ahead: f.Overlap.Kind == fabric.OverlapPorts}
	if !f.Layout.IsZero() {
		w.plugged, w.duplex = f, f.Duplex
	}
	loses := !f.Avoid.IsZero() && w.plugged == nil && w.switches == 1
	for u := range f.Nodes {
		t, r := make([]Fibre, f.Ports), make([]Fibre, f.Ports)
		for p := range t {
			if t[p], r[p] = Dark, Dark; loses && f.Avoid.Port(u, p, f.AllPorts()) {
				t[p], r[p] = gone, gone
			}
		}
		w.tx, w.rx = append(w.tx, t), append(w.rx, r)
	}
	return w
}

func (w *Wiring) clone() *Wiring {
	c := &Wiring{ports: w.ports, switches: w.switches, duplex: w.duplex, ahead: w.ahead, plugged: w.plugged}
	for u := range w.tx {
		c.tx = append(c.tx, append([]Fibre(nil), w.tx[u]...))
		c.rx = append(c.rx, append([]Fibre(nil), w.rx[u]...))
	}
	return c
}

// To returns where a transmit fibre leads.
func (w *Wiring) To(in Fibre) Fibre { return dark(w.tx[in.GPU][in.Port]) }

// From returns where a receive fibre comes from.
func (w *Wiring) From(out Fibre) Fibre { return dark(w.rx[out.GPU][out.Port]) }

// dark hides from callers whether a dark fibre's port is gone.
func dark(to Fibre) Fibre {
	if to == gone {
		return Dark
	}
	return to
}

// Set returns the wiring with exactly these circuits. They must be on separate fibres, as in a
// verified plan.
func (w *Wiring) Set(circuits []layout.Circuit) *Wiring {
	n := w.clone()
	for c := range w.Circuits() {
		n.Disconnect(c.In)
	}
	for _, c := range circuits {
		a, b := Fibre{c.From, c.FromPort}, Fibre{c.To, c.ToPort}
		n.Connect(Circuit{a, b})
		if n.duplex && c.From != c.To {
			n.Connect(Circuit{b, a})
		}
	}
	return n
}

// Connect sets up a circuit, both of whose fibres must be dark.
func (w *Wiring) Connect(c Circuit) {
	w.tx[c.In.GPU][c.In.Port] = c.Out
	w.rx[c.Out.GPU][c.Out.Port] = c.In
}

// Disconnect removes the circuit of a transmit fibre.
func (w *Wiring) Disconnect(in Fibre) {
	out := w.To(in)
	w.tx[in.GPU][in.Port] = Dark
	w.rx[out.GPU][out.Port] = Dark
}

// Circuits yields the circuits in the order of their transmit fibres.
func (w *Wiring) Circuits() iter.Seq[Circuit] {
	return func(yield func(Circuit) bool) {
		for u := range w.tx {
			for p, out := range w.tx[u] {
				if out.GPU >= 0 && !yield(Circuit{Fibre{u, p}, out}) {
					return
				}
			}
		}
	}
}

// fits reports circuits for which there are not enough ports.
func (w *Wiring) fits(g *topology.Graph) error {
	if g.Nodes() != len(w.tx) {
		return fmt.Errorf("circuits of %d GPUs; there are %d", g.Nodes(), len(w.tx))
	}
	for u, in := range g.InDegrees() {
		left := w.ports
		for _, f := range w.tx[u] {
			if f == gone {
				left--
			}
		}
		if out := g.OutDegree(u); out > left || in > left {
			return fmt.Errorf("GPU %d has %d circuits out and %d in, but %d ports", u, out, in, left)
		}
	}
	for e := range g.Edges() {
		if w.duplex && g.Count(e.To, e.From) != e.Count {
			return fmt.Errorf("circuit %d-%d is one-way, but the fabric is duplex", e.From, e.To)
		}
	}
	return nil
}
