package algorithms

import (
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/topology"
)

// Shift all-to-all: n-1 steps; in step k every node u sends its block for u+k.
var shiftAlgorithm = Algorithm{
	Name:  "shift",
	About: "step k sends to the k-th next node; n-1 steps, every block goes once",
	Ops:   []collective.Op{collective.AllToAll},
	Sizes: anySizeWords,
	Ports: onePortWords,
	check: anyNodes,
	build: func(op collective.Op, s collective.Shape) *collective.Collective {
		n := s.Nodes
		c := &collective.Collective{Space: collective.SpaceOf(op, n, 1)}
		for _, t := range exchangeFromZero(n) {
			c.Steps = append(c.Steps, collective.Step{Group: topology.Rotations(n, 1), Base: []collective.Transfer{t}})
		}
		return c
	},
}

// Direct: one bulk step in which all nodes send everything straight to its destination: in an
// all-to-all each node to all others, in a gather all nodes to the root, in a scatter the root
// to all nodes.
var directAlgorithm = Algorithm{
	Name:  "direct",
	About: "one step in which everything goes straight to where it belongs",
	Ops:   []collective.Op{collective.AllToAll, collective.Gather, collective.Scatter},
	Sizes: anySizeWords,
	Ports: "all at once, in a step that asks for every pair",

	Direct: true,

	check: anyNodes,
	build: func(op collective.Op, s collective.Shape) *collective.Collective {
		n := s.Nodes
		c := &collective.Collective{
			Space: collective.SpaceOf(op, n, 1),
			Steps: []collective.Step{{Base: exchangeFromZero(n)}},
		}
		switch op {
		case collective.AllToAll:
			c.Steps[0].Group = topology.Rotations(n, 1)
		case collective.Gather:
			upwards(c, op)
		}
		return c
	},
}

// exchangeFromZero lists the transfers of node 0; block (0, k) has number k.
func exchangeFromZero(n int) []collective.Transfer {
	base := make([]collective.Transfer, 0, n-1)
	for k := 1; k < n; k++ {
		base = append(base, collective.Transfer{Src: 0, Dst: k, Action: collective.Copy, Chunks: collective.Single(k)})
	}
	return base
}
