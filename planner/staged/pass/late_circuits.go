package pass

import (
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// late is what is known, before routing, of the demands of a step that must wait for the end of a
// change. The circuits that stay up do not lead from their source to their target, so whatever
// the routes are, such a demand uses a dark circuit.
type late struct {
	any   bool
	hops  int     // of the farthest demand, over all circuits
	bytes float64 // at least this much crosses some circuit
	// unit is the bandwidth of a circuit and hop its least delay. If circuits differ, they count
	// as multiples of the common bandwidth unit, and hop is the shortest delay.
	unit units.Bandwidth
	hop  units.Duration
}

// least returns a lower bound on the time of a step that begins dark ns before the change is
// over. If some transfers are late, plan.Mixed gives the step, in its notation, the time
//
//	dark + startup + propagation + min(transmission, together)
//
// or a longer one. Either is at least the time of the late transfers alone.
func (l *late) least(w *pricing.Workload, dark float64) float64 {
	if !l.any {
		return 0
	}
	f := w.Fabric
	return dark + float64(f.Alpha.Time()+l.hop.Time()*units.Time(l.hops)+l.unit.Transmit(l.bytes))
}

// lateOf finds the demands of a class that must wait while circuits change between two
// candidates. It takes O(nodes+circuits) for each source at most, and for all sources together if
// the circuits that stay lead to few nodes.
func (d *delays) lateOf(from, j, class int) *late {
	old, next := d.before(from), d.pool[j]
	c, now := &d.work.Classes[class], next.Topology()
	demands := c.All()
	alike := c.Offsets != nil && old.Rotates() && next.Rotates()
	if alike {
		demands = c.Demands // the demands of one node stand for all
	}
	stay := reaching(now, d.model.Stay(old.Topology(), now))
	if d.far[j] == nil {
		d.far[j] = reaching(now, nil)
	}
	out, in := make([]float64, now.Nodes()), make([]float64, now.Nodes())
	l := &late{unit: d.work.Fabric.Bandwidth, hop: d.work.Fabric.Delta}
	shares := now
	if wires := d.work.Uneven(next); wires != nil {
		shares, l.unit, l.hop = wires.Shares, wires.Unit, wires.Least
	}
	for _, t := range demands {
		if stay.hops(t.Src, t.Dst) > 0 {
			continue
		}
		l.any = true
		l.hops = max(l.hops, d.far[j].hops(t.Src, t.Dst))
		src, dst := t.Src, t.Dst
		if alike {
			src, dst = 0, 0
		}
		out[src] += t.Amount
		in[dst] += t.Amount
	}
	into := make([]int, now.Nodes())
	for u := range now.Nodes() {
		circuits := 0
		to, count := shares.Row(u)
		for i, v := range to {
			circuits += int(count[i])
			into[v] += int(count[i])
		}
		if out[u] > 0 {
			l.bytes = max(l.bytes, out[u]/float64(circuits))
		}
	}
	for v, bytes := range in {
		if bytes > 0 {
			l.bytes = max(l.bytes, bytes/float64(into[v]))
		}
	}
	return l
}

// distances computes how far one node is from another over some circuits of a graph.
type distances struct {
	next [][]int32
	from map[int][]int32
}

// reaching prepares distances over the bundles that use allows; a nil use allows all.
func reaching(g *topology.Graph, use func(u, v int) bool) *distances {
	d := &distances{next: make([][]int32, g.Nodes()), from: map[int][]int32{}}
	for u := range d.next {
		to, _ := g.Row(u)
		if use == nil {
			d.next[u] = to
			continue
		}
		for _, v := range to {
			if use(u, int(v)) {
				d.next[u] = append(d.next[u], v)
			}
		}
	}
	return d
}

// hops returns the length of a shortest path in hops, or 0 if there is none.
func (d *distances) hops(src, dst int) int {
	hops := d.from[src]
	if hops == nil {
		hops = make([]int32, len(d.next))
		queue := []int32{int32(src)}
		for len(queue) > 0 {
			u := queue[0]
			queue = queue[1:]
			for _, v := range d.next[u] {
				if hops[v] == 0 && int(v) != src {
					hops[v] = hops[u] + 1
					queue = append(queue, v)
				}
			}
		}
		d.from[src] = hops
	}
	return int(hops[dst])
}
