package extend

import (
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/topology"
)

// BothWays is an all-gather on a ring that sends both ways at once: every node passes on
// blocks from either side, so that it takes half as many steps as the ring.
func BothWays() algorithms.Algorithm {
	about := algorithms.Algorithm{
		Name: "both-ways", About: "blocks go round the ring in both directions",
		Ops: []collective.Op{collective.AllGather}, Sizes: "2 or more nodes", Ports: "two peers at a time",
	}
	return algorithms.Own(about, nil, bothWays)
}

func bothWays(op collective.Op, s collective.Shape) (collective.Space, []collective.Step) {
	n := s.Nodes
	group := topology.Rotations(n, 1) // every node does what node 0 does
	var steps []collective.Step
	for t := range n / 2 {
		// The block of the node t places before goes on to the next node ..
		base := []collective.Transfer{{Src: 0, Dst: 1, Action: collective.Copy, Chunks: collective.Single((n - t) % n)}}
		// .. and the block of the node t places after goes to the previous node, unless it
		// arrives there the other way.
		if 2*t+2 < n {
			base = append(base, collective.Transfer{Src: 0, Dst: n - 1, Action: collective.Copy, Chunks: collective.Single(t)})
		}
		steps = append(steps, collective.Step{Group: group, Base: base})
	}
	return collective.SpaceOf(op, n, 1), steps
}
