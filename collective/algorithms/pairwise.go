package algorithms

import "github.com/lightpath-net/lightpath/collective"

// Pairwise exchange (Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005, all-to-all for long
// messages): n-1 steps; in step k nodes u and u XOR k swap their blocks for each other. Every
// block is sent once, straight to its destination, and a step is a perfect matching: two-way
// circuits carry bytes both ways, even with one port per node.
var pairwiseAlgorithm = Algorithm{
	Name:  "pairwise",
	About: "step k swaps blocks with u XOR k; n-1 steps, every block goes once",
	Ops:   []collective.Op{collective.AllToAll},
	Sizes: powerOfTwoWords,
	Ports: onePortWords,
	check: powerOfTwoNodes,
	build: func(op collective.Op, s collective.Shape) *collective.Collective {
		n := s.Nodes
		masks := xorMasks(n)
		c := &collective.Collective{Space: collective.SpaceOf(op, n, 1)}
		for _, t := range exchangeFromZero(n) {
			c.Steps = append(c.Steps, collective.Step{Group: masks, Base: []collective.Transfer{t}})
		}
		return c
	},
}
