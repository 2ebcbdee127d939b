package iteration

import (
	"fmt"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// send finds the offers of a send: over circuits of its own, around a ring of its group, or
// over islands and fixed links.
func (m *repertory) send(w int) error {
	work := &m.program.Works[w]
	from, to := work.Classes[0], work.Classes[1]
	if time, ok := alwaysUp(m.fabric, work); ok {
		m.Offers[w] = append(m.Offers[w], Offer{First: NoCircuits, Last: NoCircuits, Time: time, Islands: slices.Compact([]int{from, to})})
	}
	at, err := m.place(work)
	if err != nil {
		return err
	}
	for ports := 1; ports <= m.portsOf(&at, m.lanes(&at)); ports++ {
		lanes := ports
		if from == to && m.Lines.Duplex {
			if lanes *= 2; lanes > m.portsOf(&at, m.lanes(&at)) {
				break
			}
		}
		if !m.canSetUp(&at, lanes, work.pairs(ports, m.Lines.Duplex)) {
			continue
		}
		a, b := from, to
		if m.Lines.Duplex {
			a, b = min(from, to), max(from, to)
		}
		c := Circuits{Name: fmt.Sprintf("pairs, %d each", ports), Kind: work.Like, Classes: []int{a, b}, Pair: ports}
		for _, bank := range at.banks {
			if at.whole {
				lanes = len(m.Lines.Banks[bank])
			}
			c.Claims = append(c.Claims, Claim{m.Lines.Out(from, bank), lanes})
			if in := m.Lines.In(to, bank); in != m.Lines.Out(from, bank) {
				c.Claims = append(c.Claims, Claim{in, lanes})
			}
		}
		slices.SortFunc(c.Claims, func(a, b Claim) int { return a.Line - b.Line })
		k := m.circuits(c, nil)
		m.Offers[w] = append(m.Offers[w], Offer{First: k, Last: k, Time: m.sends(work, 1, ports), Ports: ports})
	}
	for _, backwards := range []bool{false, true} {
		m.around(w, backwards)
	}
	if len(m.Offers[w]) == 0 {
		return fmt.Errorf("%w: ranks %d and %d have no switch in common, and one sends to the other; another order of the ranks may help", ErrFabric, work.Groups[0][0], work.Groups[0][1])
	}
	return nil
}

// pairs lists count circuits from every sender to its receiver, and back if they are two-way.
func (w *Work) pairs(count int, duplex bool) []topology.Edge {
	var edges []topology.Edge
	for _, g := range w.Groups {
		edges = append(edges, topology.Edge{From: g[0], To: g[1], Count: count})
		if duplex {
			edges = append(edges, topology.Edge{From: g[1], To: g[0], Count: count})
		}
	}
	return edges
}

// alwaysUp returns how long a send takes within islands or over fixed links, if it can use
// them.
func alwaysUp(f *fabric.Fabric, w *Work) (time units.Time, ok bool) {
	if !f.Island.IsZero() && !slices.ContainsFunc(w.Groups, func(p []int) bool { return !f.SameIsland(p[0], p[1]) }) {
		time, ok = f.IslandAlpha().Time()+f.IslandDelta().Time()+f.Island.Bandwidth.Transmit(float64(w.Size)), true
	}
	links := each.Min(math.MaxInt, w.Groups, func(p []int) int { return f.FixedCount(p[0], p[1]) })
	if links > 0 {
		linked := f.FixedAlpha().Time() + f.FixedDelta().Time() + f.FixedBandwidth().Transmit(float64(w.Size))/units.Time(links)
		if !ok || linked < time {
			time, ok = linked, true
		}
	}
	return time, ok
}

// around adds the offer to send around a ring of the groups of a kind.
func (m *repertory) around(w int, backwards bool) {
	work := &m.program.Works[w]
	way, all := m.program.ring(work, m.program.Places[work.Kind], backwards)
	if len(way) < 2 || len(all) < 3 || m.Lines.Duplex {
		return
	}
	ring := Circuits{Name: "cycle", Kind: work.Like, Classes: all, Ring: 1}
	if backwards {
		ring.Name, ring.Ring = "cycle backwards", -1
	}
	at := place{}
	groups := m.program.Groups[work.Kind]
	if at.plug(m, groups) != nil {
		return
	}
	var edges []topology.Edge
	for _, group := range groups {
		for i, r := range group {
			edges = append(edges, topology.Edge{From: r, To: group[(i+len(group)+ring.Ring)%len(group)], Count: 1})
		}
	}
	if !m.canSetUp(&at, 1, edges) {
		return
	}
	ring.Claims = m.claims(all, &at, 1)
	c := m.circuits(ring, nil)
	o := Offer{First: c, Last: c, Time: m.sends(work, len(way)-1, 1), Ports: 1}
	for _, bank := range at.banks {
		for i := 1; i < len(way); i++ {
			o.Uses = append(o.Uses, m.Lines.Out(way[i-1], bank), m.Lines.In(way[i], bank))
		}
	}
	m.Offers[w] = append(m.Offers[w], o)
}

// sends returns how long a send takes over the given hops, each of the given number of parallel
// circuits.
func (m *repertory) sends(w *Work, hops, ports int) units.Time {
	f := m.fabric
	bytes := f.Bandwidth.Transmit(float64(w.Size)) / units.Time(ports)
	if f.Forwarding == fabric.StoreAndForward {
		bytes *= units.Time(hops)
	}
	return f.Alpha.Time() + units.Time(hops)*f.Delta.Time() + bytes
}
