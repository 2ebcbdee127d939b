package fabric

import (
	"slices"

	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Changes answers what changes between topologies take and which circuits they leave up. It may
// keep what it finds out about a topology; then it is not for concurrent use.
type Changes struct {
	reconfig Reconfig
	// known are the circuits of parallel switches, if they are to be kept.
	known map[dealt][][][2]int
}

// dealt is a topology on a number of switches; 0: on one for each matching.
type dealt struct {
	graph    *topology.Graph
	switches int
}

// Remembering returns the delay for many changes between the same topologies: it keeps what it
// has found out about each of them. It is not for concurrent use.
func (r Reconfig) Remembering() Changes {
	return Changes{reconfig: r, known: map[dealt][][][2]int{}}
}

// Delay returns how long the circuits that are set up are dark. The two sets differ.
func (d Changes) Delay(from, to *topology.Graph) units.Time {
	return d.reconfig.Charge(between{d, from, to})
}

// Stay returns which bundles of the new circuits carry on all through the change, with all of
// their circuits.
func (d Changes) Stay(from, to *topology.Graph) func(u, v int) bool {
	if _, whole := d.reconfig.Parallel(); !whole {
		// Of a bundle that grows, some circuits are dark: it waits.
		return func(u, v int) bool { return from.Count(u, v) >= to.Count(u, v) }
	}
	dark := map[[2]int]bool{}
	for _, circuits := range d.settings(from, to) {
		for _, c := range circuits {
			dark[c] = true
		}
	}
	return func(u, v int) bool { return !dark[[2]int{u, v}] }
}

// Together reports whether, with so many ports per GPU, the new circuits can be set up while every
// old one carries on.
func (d Changes) Together(from, to *topology.Graph, ports int) bool {
	k, whole := d.reconfig.Parallel()
	if !whole {
		return bothFit(from, to, ports)
	}
	if k == 0 {
		k = ports
	}
	carrying := func(switches [][][2]int) int {
		count := 0
		for _, circuits := range switches {
			if len(circuits) > 0 {
				count++
			}
		}
		return count
	}
	// Switches that change must carry nothing before.
	return carrying(d.deal(from, k))+carrying(d.settingsOn(k, from, to)) <= k
}

// between is a change as a model sees it, counted when it asks.
type between struct {
	changes  Changes
	from, to *topology.Graph
}

// Ports implements Change.
func (b between) Ports() int { return changedPorts(b.from, b.to) }

// Circuits implements Change.
func (b between) Circuits() (set, taken int) {
	differences(b.from, b.to, func(_, _, gained int) {
		if gained > 0 {
			set += gained
		} else {
			taken -= gained
		}
	})
	return set, taken
}

// Switches implements Change.
func (b between) Switches() int { return len(b.changes.settings(b.from, b.to)) }

// deal returns the circuits of k switches, or of one for each matching if k is 0. They must
// not be changed.
func (d Changes) deal(g *topology.Graph, k int) [][][2]int {
	key := dealt{g, k}
	if s, ok := d.known[key]; ok {
		return s
	}
	s := matchings(g)
	if k > 0 {
		s = onSwitches(s, k)
	}
	if d.known != nil {
		d.known[key] = s
	}
	return s
}

// settings returns what the switches that change are set to.
func (d Changes) settings(from, to *topology.Graph) [][][2]int {
	k, _ := d.reconfig.Parallel()
	if k == 0 {
		k = max(1, len(d.deal(from, 0)), len(d.deal(to, 0)))
	}
	return d.settingsOn(k, from, to)
}

// settingsOn returns the same for a number of switches.
func (d Changes) settingsOn(k int, from, to *topology.Graph) (changed [][][2]int) {
	before := slices.Clone(d.deal(from, k))
	for _, circuits := range d.deal(to, k) {
		i := slices.IndexFunc(before, func(b [][2]int) bool { return slices.Equal(b, circuits) })
		if i < 0 {
			changed = append(changed, circuits)
			continue
		}
		before = slices.Delete(before, i, i+1)
	}
	return changed
}

// bothFit reports whether both sets can be up at once, where circuits are set one by one: those
// that are in both are not touched, and new ones take ports that are free.
func bothFit(from, to *topology.Graph, ports int) bool {
	n := from.Nodes()
	out, in := make([]int, n), make([]int, n)
	count := func(u, v, circuits int) {
		out[u] += circuits
		in[v] += circuits
	}
	for e := range from.Edges() {
		count(e.From, e.To, max(e.Count, to.Count(e.From, e.To)))
	}
	for e := range to.Edges() {
		if from.Count(e.From, e.To) == 0 {
			count(e.From, e.To, e.Count)
		}
	}
	for u := range n {
		if out[u] > ports || in[u] > ports {
			return false
		}
	}
	return true
}

// changedPorts counts, per node, the ports whose transmit or receive fibre gets
// another peer: the largest of the circuits that it gains or loses in one direction.
func changedPorts(from, to *topology.Graph) int {
	n := from.Nodes()
	out := make([][2]int, n) // gained, lost
	in := make([][2]int, n)
	differences(from, to, func(u, v, gained int) {
		side := 0
		if gained < 0 {
			side, gained = 1, -gained
		}
		out[u][side] += gained
		in[v][side] += gained
	})
	sum := 0
	for u := range n {
		sum += max(out[u][0], out[u][1], in[u][0], in[u][1])
	}
	return sum
}

// differences visits every pair of nodes whose number of circuits differs.
func differences(from, to *topology.Graph, visit func(u, v, gained int)) {
	for u := range to.Nodes() {
		old, oldCount := from.Row(u)
		now, nowCount := to.Row(u)
		i := 0
		for k, v := range now { // both are ascending
			for ; i < len(old) && old[i] < v; i++ {
				visit(u, int(old[i]), -int(oldCount[i]))
			}
			gained := int(nowCount[k])
			if i < len(old) && old[i] == v {
				gained -= int(oldCount[i])
				i++
			}
			if gained != 0 {
				visit(u, int(v), gained)
			}
		}
		for ; i < len(old); i++ {
			visit(u, int(old[i]), -int(oldCount[i]))
		}
	}
}
