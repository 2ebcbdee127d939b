package fabric

import (
	"slices"

	"github.com/lightpath-net/lightpath/flow/matching"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// PerSwitch is a delay of Base + Each for every parallel switch that changes.
//
// Parallel switches: port p of every GPU is on switch p modulo the number of switches. So each
// port number is a matching of GPUs, and a topology is one matching per port. Circuits may be
// on any ports, as long as circuits with a common end are on different ones. The assignment
// depends only on the circuits, not on what was up before: a circulant has its jumps in
// ascending order, another graph the colours of matching.Divide. A switch changes if its
// circuits do, unless another switch has them: then the two swap names. So the count is exact
// for these ports, and an upper bound for controllers that choose ports by what is up.
//
// A switch that changes is dark as a whole, including circuits that it has both before and
// after, because the model does not say which of them moved to another of its ports.
var PerSwitch DelayModel = perSwitch{Terms{Name: "per-switch", Each: "PER_SWITCH", Counted: true}}

type perSwitch struct{ Terms }

// Charge implements DelayModel.
func (perSwitch) Charge(r Reconfig, c Change) units.Time {
	return units.Time(c.Switches()) * r.Each.Time()
}

// Switches implements DelayModel.
func (perSwitch) Switches(r Reconfig) (count int, whole bool) { return r.Switches, true }

// SwitchSettings divides the circuits of a topology among k parallel switches, and sorts those
// of each.
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

// matchings divides a topology into matchings of circuits.
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
		m := each.Of(colour, func(i int) [2]int { return circuits[i] })
		all = append(all, m)
	}
	return all
}
