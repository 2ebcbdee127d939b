package pricing

import (
	"cmp"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/topology"
)

// FitsPorts reports whether every pair of the step can have a circuit of its own.
func FitsPorts(f *fabric.Fabric, step collective.Step) bool {
	if k, ok := step.Rotation(); ok {
		n := step.Group.Dims[0]
		return !f.Duplex || f.Ports >= 2 || 2*k == n
	}
	return degree(step, f.Duplex) <= f.Ports
}

// degree returns the largest number of nodes that a node sends to in a step, or receives from. If
// circuits are two-way, it counts the peers in both directions together. One transfer stands for
// one transfer of every node in its orbit.
func degree(step collective.Step, twoWay bool) int {
	sends, receives := make([][2]int, 0, len(step.Base)), make([][2]int, 0, len(step.Base))
	peer := func(u, v int) [2]int { // a node that stands for its orbit, and its peer
		k, home := step.Group.Locate(u)
		return [2]int{home, step.Group.Back(k, v)}
	}
	for _, t := range step.Base {
		sends, receives = append(sends, peer(t.Src, t.Dst)), append(receives, peer(t.Dst, t.Src))
	}
	if twoWay {
		return mostPeers(append(sends, receives...))
	}
	return max(mostPeers(sends), mostPeers(receives))
}

// mostPeers returns the largest number of different second nodes in pairs with the same first
// node. It sorts the pairs.
func mostPeers(pairs [][2]int) int {
	slices.SortFunc(pairs, func(x, y [2]int) int { return cmp.Or(cmp.Compare(x[0], y[0]), cmp.Compare(x[1], y[1])) })
	most, count := 0, 0
	for i, p := range slices.Compact(pairs) {
		if i == 0 || pairs[i-1][0] != p[0] {
			count = 0
		}
		count++
		most = max(most, count)
	}
	return most
}

// Dense reports whether all nodes that take part in the step send the same amount to one another,
// and each has more peers than ports.
func (c *Class) Dense(f *fabric.Fabric) bool {
	part := make([]bool, f.Nodes)
	pairs, nodes, same := 0, 0, -1.0
	for d := range c.each(topology.Translations{}) {
		if same >= 0 && d.Amount != same {
			return false
		}
		same = d.Amount
		pairs++
		for _, u := range [...]int{d.Src, d.Dst} {
			if !part[u] {
				part[u] = true
				nodes++
			}
		}
	}
	return nodes-1 > f.Ports && pairs == nodes*(nodes-1)
}
