package fabric

import (
	"cmp"
	"slices"

	"github.com/lightpath-net/lightpath/flow/matching"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// PerSwitch is a delay of Base + Each for every parallel switch that changes.
//
// Parallel switches: port p of every GPU is on switch p modulo the number of switches. So each
// port number is a matching of GPUs, and a topology is one matching per port. Circuits may be on
// any ports, as long as circuits with a common end are on different ones. The assignment depends
// on the circuits alone, not on what was up before: a circulant has its jumps in ascending order,
// another graph the colours of matching.Divide. A switch changes if its circuits do, unless another
// switch has them: then the two swap names. So the count is exact for these ports, and an upper
// bound for controllers that choose ports by what is up.
//
// A switch that changes is dark as a whole, including circuits that it has both before and after:
// the model does not say which of them moved to another of its ports.
const PerSwitch Model = "per-switch"

var perSwitchModel = delayModel{
	name: PerSwitch, syntax: "per-switch:BASE+PER_SWITCH or per-switch/K:BASE+PER_SWITCH for K switches", counted: true,
	of: func(r Reconfig) DelayModel {
		return perSwitchDelay{base: r.Base.Time(), each: r.Each.Time(), switches: r.Switches}
	},
}

type perSwitchDelay struct {
	base, each units.Time
	switches   int // 0: one for each port
	// known are the circuits of switches, if they are to be kept.
	known map[dealt][][][2]int
}

// dealt is a topology on a number of switches; 0: on one for each matching.
type dealt struct {
	graph    *topology.Graph
	switches int
}

// deal returns the circuits of k switches, or of one for each matching if k is 0. They must
// not be changed.
func (d perSwitchDelay) deal(g *topology.Graph, k int) [][][2]int {
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

// Delay implements DelayModel.
func (d perSwitchDelay) Delay(from, to *topology.Graph) units.Time {
	changed := d.settings(from, to)
	return d.base + units.Time(len(changed))*d.each
}

// Least implements DelayModel.
func (d perSwitchDelay) Least() units.Time { return d.base + d.each }

// Most implements DelayModel.
func (d perSwitchDelay) Most(_, ports int) units.Time {
	return d.base + units.Time(cmp.Or(d.switches, ports))*d.each
}

// Uniform implements DelayModel.
func (d perSwitchDelay) Uniform() bool { return d.each == 0 }

// Stay implements DelayModel: a bundle carries on if all of its circuits are on switches
// that keep theirs.
func (d perSwitchDelay) Stay(from, to *topology.Graph) func(u, v int) bool {
	changed := d.settings(from, to)
	dark := map[[2]int]bool{}
	for _, circuits := range changed {
		for _, c := range circuits {
			dark[c] = true
		}
	}
	return func(u, v int) bool { return !dark[[2]int{u, v}] }
}

// Together implements DelayModel: switches that change must carry nothing before.
func (d perSwitchDelay) Together(from, to *topology.Graph, ports int) bool {
	k := d.switches
	if k == 0 {
		k = ports
	}
	inUse := 0
	for _, circuits := range d.deal(from, k) {
		if len(circuits) > 0 {
			inUse++
		}
	}
	changed := perSwitchDelay{switches: k, known: d.known}.settings(from, to)
	set := 0
	for _, circuits := range changed {
		if len(circuits) > 0 {
			set++
		}
	}
	return inUse+set <= k
}

// settings returns what the switches that change are set to.
func (d perSwitchDelay) settings(from, to *topology.Graph) (changed [][][2]int) {
	k := d.switches
	if k == 0 {
		k = max(1, len(d.deal(from, 0)), len(d.deal(to, 0)))
	}
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

// SwitchSettings deals the circuits of a topology out to k parallel switches, and sorts those of
// each.
func SwitchSettings(g *topology.Graph, k int) [][][2]int { return onSwitches(matchings(g), k) }

func onSwitches(matchings [][][2]int, k int) [][][2]int {
	switches := make([][][2]int, k)
	for port, m := range matchings {
		switches[port%k] = append(switches[port%k], m...)
	}
	for _, circuits := range switches {
		slices.SortFunc(circuits, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	}
	return switches
}

// matchings takes a topology apart into matchings of circuits.
func matchings(g *topology.Graph) [][][2]int {
	if jumps, ok := g.Jumps(); ok {
		all := make([][][2]int, len(jumps))
		for i, j := range jumps {
			for u := range g.Nodes() {
				all[i] = append(all[i], [2]int{u, (u + j) % g.Nodes()})
			}
		}
		return all
	}
	var circuits [][2]int
	for e := range g.Edges() {
		for range e.Count {
			circuits = append(circuits, [2]int{e.From, e.To})
		}
	}
	var all [][][2]int
	for _, colour := range matching.Divide(g.Nodes(), circuits) {
		var m [][2]int
		for _, i := range colour {
			m = append(m, circuits[i])
		}
		all = append(all, m)
	}
	return all
}
