package fabric

import (
	"slices"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/topology"
)

// Alive lists the GPUs that take part, nil if all do.
func (f *Fabric) Alive() []int {
	if len(f.Avoid.GPUs()) == 0 {
		return nil
	}
	alive := []int{} // not nil, even if none is left
	for u := range f.Nodes {
		if !f.Avoid.GPU(u) {
			alive = append(alive, u)
		}
	}
	return alive
}

// Present lists the GPUs that take part.
func (f *Fabric) Present() []int {
	if alive := f.Alive(); alive != nil {
		return alive
	}
	return arithmetic.UpTo(f.Nodes)
}

// portsOf returns how many ports of a GPU work and may be used. If plans leave ports unused,
// failed ports are the first of these.
func (f *Fabric) portsOf(u int) int {
	if f.Avoid.IsZero() {
		return f.Ports
	}
	if f.Avoid.GPU(u) {
		return 0
	}
	return max(0, min(f.Ports, f.AllPorts()-f.Avoid.Ports(u)-f.onFailed(u)))
}

// onFailed returns how many ports of a GPU are plugged into failed switches, not counting ports
// that are lost themselves.
func (f *Fabric) onFailed(u int) int {
	if len(f.Avoid.read.switches) == 0 {
		return 0
	}
	p, count := f.Plugging(), 0
	for port := 0; p != nil && port < f.AllPorts(); port++ {
		if s := p.Switch(u, port); s >= 0 && f.Avoid.Switch(s) && !f.Avoid.Port(u, port, f.AllPorts()) {
			count++
		}
	}
	return count
}

// lostPorts lists the GPUs that have lost ports, including those on failed switches.
func (f *Fabric) lostPorts() []int {
	list := f.Avoid.LostPorts()
	if f.Avoid.IsZero() || len(f.Avoid.read.switches) == 0 {
		return list
	}
	for u := range f.Nodes {
		if f.onFailed(u) > 0 {
			list = append(list, u)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// LostPorts reports whether some GPU that takes part has fewer working ports than may be used.
func (f *Fabric) LostPorts() bool {
	return slices.ContainsFunc(f.lostPorts(), func(u int) bool {
		return !f.Avoid.GPU(u) && f.portsOf(u) < f.Ports
	})
}

// Without returns the topology without failed circuits: those of failed GPUs and links, and
// at GPUs with failed ports the excess ones, last first. On a duplex fabric a circuit is removed
// in both directions. If nothing is removed, the result is g; otherwise its name ends in
// "-avoided".
func (f *Fabric) Without(g *topology.Graph) *topology.Graph {
	if f.Avoid.IsZero() {
		return g
	}
	out, in := make([]int, f.Nodes), make([]int, f.Nodes)
	var edges []topology.Edge
	kept := 0
	keep := func(u, v, count int) {
		out[u] += count
		in[v] += count
		kept += count
		edges = append(edges, topology.Edge{From: u, To: v, Count: count})
	}
	for e := range g.Edges() {
		u, v := e.From, e.To
		if f.Duplex && u > v {
			continue // removed with its other direction
		}
		room := min(e.Count, f.portsOf(u)-out[u], f.portsOf(v)-in[v])
		if f.Avoid.Link(u, v) || f.Duplex && f.Avoid.Link(v, u) || room <= 0 {
			continue
		}
		keep(u, v, room)
		if f.Duplex && u != v {
			keep(v, u, room)
		}
	}
	if kept == g.Circuits() {
		return g
	}
	return topology.New(g.Nodes(), g.Name()+"-avoided", edges)
}

// Surviving returns how many ports may be used at each participating GPU that has lost some of
// the ports that others use. GPUs that are not in it have Ports; one with no port left has 0.
func (f *Fabric) Surviving() map[int]int {
	left := map[int]int{}
	for _, u := range f.lostPorts() {
		if ports := f.portsOf(u); !f.Avoid.GPU(u) && ports < f.Ports {
			left[u] = ports
		}
	}
	return left
}
