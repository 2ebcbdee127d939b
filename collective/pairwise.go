package collective

import (
	"math/bits"

	"github.com/lightpath-net/lightpath/topology"
)

// Pairwise exchange (Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005, all-to-all for
// long messages): n-1 steps; in step k nodes u and u XOR k swap the blocks that they have
// for each other. Every block goes once, straight to its destination, and a step is a
// perfect matching: two-way circuits carry bytes both ways, even with one port per node.
var pairwiseAlgorithm = Algorithm{
	Name:  "pairwise",
	About: "step k swaps blocks with u XOR k; n-1 steps, every block goes once",
	Ops:   []Op{AllToAll},
	Sizes: powerOfTwoWords,
	Ports: onePortWords,
	check: powerOfTwoNodes,
	build: func(op Op, s Shape) *Collective {
		n := s.Nodes
		sides := make([]int, bits.Len(uint(n))-1)
		for i := range sides {
			sides[i] = 2
		}
		masks := topology.Translation(sides...)
		c := &Collective{Space: SpaceOf(op, n, 1)}
		for _, t := range exchangeFromZero(n) {
			c.Steps = append(c.Steps, Step{Group: masks, Base: []Transfer{t}})
		}
		return c
	},
}
