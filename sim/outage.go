package sim

import (
	"github.com/lightpath-net/lightpath/sim/traffic"
	"github.com/lightpath-net/lightpath/topology"
)

// outages computes when circuits are up in one phase.
type outages struct {
	phase *Phase
	begin int64
}

// union returns the graph of all circuits that are up at some time of the phase: a bundle has
// the largest number of circuits that it ever has.
func (p *Phase) union() *topology.Graph {
	g := p.Network.Graph
	if len(p.Changes) == 0 {
		return g
	}
	most := map[[2]int]int{}
	var edges []topology.Edge
	add := func(h *topology.Graph) {
		for e := range h.Edges() {
			ends := [2]int{e.From, e.To}
			if had := most[ends]; e.Count > had {
				most[ends] = e.Count
				edges = append(edges, topology.Edge{From: e.From, To: e.To, Count: e.Count - had})
			}
		}
	}
	add(g)
	for _, c := range p.Changes {
		add(c.Graph)
	}
	return topology.New(g.Nodes(), g.Name(), edges)
}

// circuits appends the uptimes of the count circuits from u to v.
func (o *outages) circuits(list []traffic.Uptime, u, v, count int) []traffic.Uptime {
	for i := range count {
		if len(o.phase.Changes) == 0 && len(o.phase.Failures) == 0 {
			list = append(list, traffic.Uptime{Off: traffic.Never})
			continue
		}
		up := o.up(u, v, i, count)
		c := traffic.Uptime{On: traffic.Never, Off: traffic.Never}
		if len(up) > 0 {
			c.On, c.Off, c.Later = up[0].Start, up[0].End, up[1:]
		}
		list = append(list, c)
	}
	return list
}

// up returns when the i-th of count circuits from u to v is up.
func (o *outages) up(u, v, i, count int) []traffic.Interval {
	var up []traffic.Interval
	since := int64(-1) // when it came up, or -1 if it is down
	if i < o.phase.Network.Graph.Count(u, v) {
		since = 0
	}
	for _, c := range o.phase.Changes {
		at := o.begin + int64(c.At)
		stays := i < c.Graph.Count(u, v)
		if since >= 0 && !(stays && (c.Partial || c.Delay == 0)) {
			up = append(up, traffic.Interval{Start: since, End: at})
			since = -1
		}
		if since < 0 && stays {
			since = at + int64(c.Delay)
		}
	}
	if since >= 0 {
		up = append(up, traffic.Interval{Start: since, End: traffic.Never})
	}
	return cutAt(up, o.fails(u, v, i, count))
}

// fails returns when the i-th of count circuits from u to v fails.
func (o *outages) fails(u, v, i, count int) int64 {
	at := int64(traffic.Never)
	for _, f := range o.phase.Failures {
		if f.From == u && f.To == v && (f.Circuits == 0 || i >= count-f.Circuits) {
			at = min(at, o.begin+int64(f.At))
		}
	}
	return at
}

// cutAt ends intervals at a time.
func cutAt(up []traffic.Interval, at int64) []traffic.Interval {
	for i := range up {
		if up[i].Start >= at {
			return up[:i]
		}
		up[i].End = min(up[i].End, at)
	}
	return up
}
