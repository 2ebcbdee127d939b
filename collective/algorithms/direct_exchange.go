package algorithms

import (
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/topology"
)

// Direct exchange: a reduce-scatter in one bulk step, in which every node sends every other
// node its contribution to that node's block, and an all-gather in another, in which every node
// sends its block to all others. Each step sends (n-1)/n of m, the minimum, to n-1 peers at
// once. Planners divide such a step into as many as their ports need, or route it over the
// available circuits.
var directExchangeAlgorithm = Algorithm{
	Name:  "direct-exchange",
	About: "every block straight to its owner, and back to all: 2 bulk steps, least bandwidth",
	Ops:   reductions,
	Sizes: anySizeWords,
	Ports: "all at once, in steps that ask for every pair",

	Direct: true,

	check: anyNodes,
	build: func(op collective.Op, s collective.Shape) *collective.Collective {
		n := s.Nodes
		group := topology.Rotations(n, 1)
		var scatter, gather []collective.Transfer // of node 0
		for k := 1; k < n; k++ {
			scatter = append(scatter, collective.Transfer{Src: 0, Dst: k, Action: collective.Reduce, Chunks: collective.Single(k)})
			gather = append(gather, collective.Transfer{Src: 0, Dst: k, Action: collective.Copy, Chunks: collective.Single(0)})
		}
		return halves(op, collective.SpaceOf(op, n, 1), []collective.Step{{Group: group, Base: scatter}}, []collective.Step{{Group: group, Base: gather}})
	},
}
