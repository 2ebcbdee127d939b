package fabric

import (
	"cmp"
	"slices"

	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Changes computes how long changes between topologies take and which circuits they leave up.
// It may cache what it computes about a topology; then it is not safe for concurrent use.
type Changes struct {
	reconfig Reconfig
	// known caches the circuits of parallel switches; nil: they are not cached.
	known map[dealt][][][2]int
}

// dealt is a topology on a number of switches; 0: one switch for each matching.
type dealt struct {
	graph    *topology.Graph
	switches int
}

// Remembering returns the delay for many changes between the same topologies: it caches what it
// computes about each of them. It is not safe for concurrent use.
func (r Reconfig) Remembering() Changes {
	return Changes{reconfig: r, known: map[dealt][][][2]int{}}
}

// Delay returns how long the circuits that are set up are dark. The two topologies must differ.
func (d Changes) Delay(from, to *topology.Graph) units.Time {
	return d.reconfig.Charge(between{d, from, to})
}

// Stay returns which bundles of the new circuits stay up throughout the change, with all of
// their circuits.
func (d Changes) Stay(from, to *topology.Graph) func(u, v int) bool {
	if _, whole := d.reconfig.Parallel(); !whole {
		// A bundle that grows has dark circuits, so it waits.
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

// Together reports whether, with the given ports per GPU, the new circuits can be set up while
// every old one stays up.
func (d Changes) Together(from, to *topology.Graph, ports int) bool {
	k, whole := d.reconfig.Parallel()
	if !whole {
		return bothFit(from, to, ports)
	}
	k = cmp.Or(k, ports)
	carrying := func(switches [][][2]int) int {
		return each.Count(switches, func(circuits [][2]int) bool { return len(circuits) > 0 })
	}
	// Switches that change must have no circuits before.
	return carrying(d.deal(from, k))+carrying(d.settingsOn(k, from, to)) <= k
}

// between is a change as a model sees it; its counts are computed on demand.
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

// deal returns the circuits of k switches, or of one switch per matching if k is 0. They must
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

// settings returns the new settings of the switches that change.
func (d Changes) settings(from, to *topology.Graph) [][][2]int {
	k, _ := d.reconfig.Parallel()
	if k == 0 {
		k = max(1, len(d.deal(from, 0)), len(d.deal(to, 0)))
	}
	return d.settingsOn(k, from, to)
}

// settingsOn returns settings for the given number of switches.
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

// bothFit reports whether both sets can be up at once if circuits are set one by one: those in
// both sets are left alone, and new ones take free ports.
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

// changedPorts counts, per node, the ports whose transmit or receive fibre gets another peer:
// the largest number of circuits that the node gains or loses in one direction.
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
	return each.SumBelow(n, func(u int) int {
		return max(out[u][0], out[u][1], in[u][0], in[u][1])
	})
}

// differences visits every pair of nodes whose number of circuits differs.
func differences(from, to *topology.Graph, visit func(u, v, gained int)) {
	for u := range to.Nodes() {
		old, oldCount := from.Row(u)
		now, nowCount := to.Row(u)
		i := 0
		for k, v := range now { // both are in ascending order
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
