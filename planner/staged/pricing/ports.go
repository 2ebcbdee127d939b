package pricing

import (
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
	sends, receives := make([]peer, 0, len(step.Base)), make([]peer, 0, len(step.Base))
	of := func(u, v int) peer {
		k, home := step.Group.Locate(u)
		return peer(home)<<32 | peer(step.Group.Back(k, v))
	}
	for _, t := range step.Base {
		sends, receives = append(sends, of(t.Src, t.Dst)), append(receives, of(t.Dst, t.Src))
	}
	if twoWay {
		return mostPeers(append(sends, receives...))
	}
	return max(mostPeers(sends), mostPeers(receives))
}

// peer is a node that stands for its orbit and, in the lower half, a node that it sends to or
// receives from. Numbers are sorted sooner than pairs of them.
type peer uint64

// mostPeers returns the largest number of different peers of a node. It sorts the list.
func mostPeers(list []peer) int {
	slices.Sort(list)
	most, count := 0, 0
	for i, p := range slices.Compact(list) {
		if i == 0 || list[i-1]>>32 != p>>32 {
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
