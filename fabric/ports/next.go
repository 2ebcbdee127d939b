package ports

import (
	"slices"

	"github.com/lightpath-net/lightpath/topology"
)

// Next returns the wiring for other circuits. Circuits that stay keep their ports, so only
// those that change go dark; of several circuits between two GPUs those on the lowest ports
// stay. The others take the lowest dark ports; with overlap of ports they prefer ports that
// were dark before. With several switches, a few circuits that stay may have to move to
// another.
//
// There is always a port left. A GPU has no more circuits than ports, and with one switch a
// circuit may use any port at each of its ends. With several switches it needs the same port at
// both ends: a bipartite graph has as many colours as its largest degree (Kőnig). If the fabric
// has a layout, circuits are set up as in Fabric.SetUp, regardless of what was there before.
func (w *Wiring) Next(g *topology.Graph) (*Wiring, error) {
	if err := w.fits(g); err != nil {
		return nil, err
	}
	if w.plugged != nil {
		circuits, err := w.plugged.SetUp(g)
		if err != nil {
			return nil, err
		}
		return w.Set(circuits), nil
	}
	n := w.clone()
	missing := map[[2]int]int{}
	for e := range g.Edges() {
		missing[[2]int{e.From, e.To}] = e.Count
	}
	for c := range w.Circuits() {
		back := Circuit{c.Out, c.In}
		two := n.duplex && c.In.GPU != c.Out.GPU
		if two && c.In.GPU > c.Out.GPU {
			continue // handled with its reverse
		}
		if pair := [2]int{c.In.GPU, c.Out.GPU}; missing[pair] > 0 {
			missing[pair]--
			if two {
				missing[[2]int{c.Out.GPU, c.In.GPU}]--
			}
			continue
		}
		n.Disconnect(c.In)
		if two {
			n.Disconnect(back.In)
		}
	}
	for e := range g.Edges() {
		for pair := [2]int{e.From, e.To}; missing[pair] > 0; missing[pair]-- {
			switch {
			case n.duplex && e.From != e.To:
				if e.From < e.To { // the other direction is set with it
					a, b := n.idle(e.From, w), n.idle(e.To, w)
					n.Connect(Circuit{a, b})
					n.Connect(Circuit{b, a})
				}
			case n.switches == 1:
				n.Connect(Circuit{
					Fibre{e.From, n.free(n.tx[e.From], w.tx[e.From])}, Fibre{e.To, n.free(n.rx[e.To], w.rx[e.To])},
				})
			default:
				n.colour(e.From, e.To)
			}
		}
	}
	return n, nil
}

// idle returns a port of a GPU with both fibres dark, given the wiring before.
func (w *Wiring) idle(u int, before *Wiring) Fibre {
	at := -1
	for p := range w.ports {
		if w.tx[u][p] != Dark || w.rx[u][p] != Dark {
			continue
		}
		if !w.ahead || before.tx[u][p] == Dark && before.rx[u][p] == Dark {
			return Fibre{u, p}
		}
		if at < 0 {
			at = p
		}
	}
	if at < 0 {
		panic("ports: more circuits than ports")
	}
	return Fibre{u, at}
}

// free returns the first dark port, given where fibres lead now and led before.
func (w *Wiring) free(now, before []Fibre) int {
	if w.ahead {
		for p := range now {
			if now[p] == Dark && before[p] == Dark {
				return p
			}
		}
	}
	p := slices.Index(now, Dark)
	if p < 0 {
		panic("ports: more circuits than ports")
	}
	return p
}

// colour connects u to v on a port that is dark at both. If there is none, it takes a port dark
// at u and one dark at v, and swaps the two ports along the path of circuits that alternate
// between them, beginning at v. That path never reaches u, because it would arrive there over
// the port that is dark.
func (w *Wiring) colour(u, v int) {
	for p := range w.ports {
		if w.tx[u][p] == Dark && w.rx[v][p] == Dark {
			w.Connect(Circuit{Fibre{u, p}, Fibre{v, p}})
			return
		}
	}
	a, b := slices.Index(w.tx[u], Dark), slices.Index(w.rx[v], Dark)
	// path follows the ports a, b, a, .. from v: the GPU that sends to v over a, the GPU to which
	// that one sends over b, and so on.
	var path []Circuit
	at, into, port := v, true, a
	for {
		var c Circuit
		if into {
			in := w.rx[at][port]
			if in == Dark {
				break
			}
			c = Circuit{In: in, Out: Fibre{at, port}}
			at = in.GPU
		} else {
			out := w.tx[at][port]
			if out == Dark {
				break
			}
			c = Circuit{In: Fibre{at, port}, Out: out}
			at = out.GPU
		}
		path = append(path, c)
		into, port = !into, a+b-port
	}
	for _, c := range path {
		w.Disconnect(c.In)
	}
	for _, c := range path {
		p := a + b - c.In.Port
		w.Connect(Circuit{Fibre{c.In.GPU, p}, Fibre{c.Out.GPU, p}})
	}
	w.Connect(Circuit{Fibre{u, a}, Fibre{v, a}})
}
