package fabric

import (
	"slices"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/topology"
)

// Parallel switches: port p of every GPU is on switch p modulo their number, so each port
// number is a matching of GPUs, and a topology is as many matchings as GPUs have ports.
// Which circuit is on which port is free as long as circuits with an end in common are on
// different ones. It is chosen by the circuits alone, not by what was up before: a
// circulant has its jumps in ascending order, another graph the colours of flow.Matchings.
// A switch changes if its circuits do, unless another switch has them: then the two change
// names. So the count is right for the ports chosen, and no more than an upper bound for
// controllers that choose ports by what is up.

// changedSwitches counts the switches whose circuits change, at most k; 0: a switch for
// each port in use.
func changedSwitches(from, to *topology.Graph, k int) int {
	old, new := matchings(from), matchings(to)
	if k == 0 {
		k = max(len(old), len(new))
	}
	before, after := onSwitches(old, k), onSwitches(new, k)
	changed := 0
	for _, circuits := range after {
		i := slices.IndexFunc(before, func(b [][2]int) bool { return slices.Equal(b, circuits) })
		if i < 0 {
			changed++
			continue
		}
		before = slices.Delete(before, i, i+1)
	}
	return changed
}

// onSwitches deals the matchings out to k switches and sorts the circuits of each.
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
	for _, colour := range flow.Matchings(g.Nodes(), circuits) {
		var m [][2]int
		for _, i := range colour {
			m = append(m, circuits[i])
		}
		all = append(all, m)
	}
	return all
}
