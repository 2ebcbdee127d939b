package timetable

import (
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
)

// Fibre is a port of a GPU.
type Fibre struct {
	GPU  int `json:"gpu"`
	Port int `json:"port"`
}

// Circuit is a cross-connect from a transmit fibre to a receive fibre.
type Circuit struct {
	In  Fibre `json:"in"`
	Out Fibre `json:"out"`
}

// wiring is which fibre leads where: peers of transmit and of receive fibres.
type wiring struct {
	ports    int
	switches int
	duplex   bool
	tx, rx   [][]Fibre // by GPU and port; GPU -1: dark
}

var dark = Fibre{GPU: -1}

func newWiring(nodes, ports, switches int, duplex bool) *wiring {
	w := &wiring{ports: ports, switches: switches, duplex: duplex && switches == 1}
	for range nodes {
		t, r := make([]Fibre, ports), make([]Fibre, ports)
		for p := range ports {
			t[p], r[p] = dark, dark
		}
		w.tx, w.rx = append(w.tx, t), append(w.rx, r)
	}
	return w
}

func (w *wiring) clone() *wiring {
	c := &wiring{ports: w.ports, switches: w.switches, duplex: w.duplex}
	for u := range w.tx {
		c.tx = append(c.tx, append([]Fibre(nil), w.tx[u]...))
		c.rx = append(c.rx, append([]Fibre(nil), w.rx[u]...))
	}
	return c
}

func (w *wiring) connect(in, out Fibre) {
	w.tx[in.GPU][in.Port] = out
	w.rx[out.GPU][out.Port] = in
}

func (w *wiring) disconnect(in Fibre) {
	out := w.tx[in.GPU][in.Port]
	w.tx[in.GPU][in.Port] = dark
	w.rx[out.GPU][out.Port] = dark
}

// next returns the wiring for other circuits, with as much as possible left as it is.
func (w *wiring) next(g *topology.Graph) *wiring {
	n := w.clone()
	missing := map[[2]int]int{}
	for e := range g.Edges() {
		missing[[2]int{e.From, e.To}] = e.Count
	}
	for u := range n.tx {
		for p, out := range n.tx[u] {
			if out == dark {
				continue
			}
			if pair := [2]int{u, out.GPU}; missing[pair] > 0 {
				missing[pair]--
			} else {
				n.disconnect(Fibre{u, p})
			}
		}
	}
	for e := range g.Edges() {
		for pair := [2]int{e.From, e.To}; missing[pair] > 0; missing[pair]-- {
			switch {
			case n.duplex && e.From != e.To:
				if e.From < e.To { // the other direction comes along
					a, b := n.idle(e.From), n.idle(e.To)
					n.connect(a, b)
					n.connect(b, a)
				}
			case n.switches == 1:
				n.connect(Fibre{e.From, free(n.tx[e.From])}, Fibre{e.To, free(n.rx[e.To])})
			default:
				n.colour(e.From, e.To)
			}
		}
	}
	return n
}

// idle returns a port both of whose fibres are dark.
func (w *wiring) idle(u int) Fibre {
	for p := range w.ports {
		if w.tx[u][p] == dark && w.rx[u][p] == dark {
			return Fibre{u, p}
		}
	}
	panic("timetable: more circuits than ports")
}

// free returns the first dark port.
func free(fibres []Fibre) int {
	for p, f := range fibres {
		if f == dark {
			return p
		}
	}
	panic("timetable: more circuits than ports")
}

// colour connects u to v on a port that is dark at both. If there is none, circuits that
// alternate between a port dark at u and one dark at v change places, beginning at v: such
// a path never comes to u, for it would arrive there over the port that is dark.
func (w *wiring) colour(u, v int) {
	for p := range w.ports {
		if w.tx[u][p] == dark && w.rx[v][p] == dark {
			w.connect(Fibre{u, p}, Fibre{v, p})
			return
		}
	}
	a, b := free(w.tx[u]), free(w.rx[v])
	// The path of ports a, b, a, .. from v: who sends to v over a, whom that one sends to
	// over b, and so on.
	var path []Circuit
	at, into, port := v, true, a
	for {
		var c Circuit
		if into {
			in := w.rx[at][port]
			if in == dark {
				break
			}
			c = Circuit{In: in, Out: Fibre{at, port}}
			at = in.GPU
		} else {
			out := w.tx[at][port]
			if out == dark {
				break
			}
			c = Circuit{In: Fibre{at, port}, Out: out}
			at = out.GPU
		}
		path = append(path, c)
		into, port = !into, a+b-port
	}
	for _, c := range path {
		w.disconnect(c.In)
	}
	for _, c := range path {
		p := a + b - c.In.Port
		w.connect(Fibre{c.In.GPU, p}, Fibre{c.Out.GPU, p})
	}
	w.connect(Fibre{u, a}, Fibre{v, a})
}

// circuits yields the cross-connects in order of their transmit fibres.
func (w *wiring) circuits(yield func(c Circuit)) {
	for u := range w.tx {
		for p, out := range w.tx[u] {
			if out != dark {
				yield(Circuit{Fibre{u, p}, out})
			}
		}
	}
}

// switchesOf returns the number of switches that a plan's fabric has.
func switchesOf(p *plan.Plan) int {
	r := &p.Fabric.Reconfig
	switch {
	case r.Model != "per-switch":
		return 1
	case r.Switches > 0:
		return r.Switches
	}
	return p.Fabric.Ports
}
