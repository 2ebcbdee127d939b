package algorithms

import (
	"math/bits"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/topology"
)

// The exchange on a hypercube (Johnsson and Ho, IEEE Trans. Computers 38(9), 1989, "standard
// exchange"): in phase i nodes u and u XOR 2^i swap the blocks whose target differs in bit i from
// the node where they are. That is log2 n phases of n/2 blocks, as many as Bruck's in radix 2, but
// every phase is a perfect matching: two-way circuits carry bytes both ways, even with one port
// per node, where a rotation of Bruck's takes two matchings.
var hypercubeAlgorithm = Algorithm{
	Name:  "hypercube",
	About: "swaps half of all blocks with u XOR 1, 2, 4, ..; log2(n) steps",
	Ops:   []collective.Op{collective.AllToAll},
	Sizes: powerOfTwoWords,
	Ports: onePortWords,
	check: powerOfTwoNodes,
	build: func(op collective.Op, s collective.Shape) *collective.Collective {
		n := s.Nodes
		masks := xorMasks(n)
		c := &collective.Collective{Space: collective.SpaceOf(op, n, 1)}
		for bit := 1; bit < n; bit *= 2 {
			// Node 0 has the blocks whose source and target agree with it in the higher and in the
			// lower bits.
			ids := make([]int, 0, n/2)
			for src := range bit {
				for dst := bit; dst < n; dst += 2 * bit {
					ids = append(ids, src*n+dst)
				}
			}
			swap := collective.Transfer{Src: 0, Dst: bit, Action: collective.Copy, Chunks: collective.Of(ids)}
			c.Steps = append(c.Steps, collective.Step{Group: masks, Base: []collective.Transfer{swap}})
		}
		return c
	},
}

// xorMasks returns the group of u -> u XOR mask on a power of two nodes.
func xorMasks(n int) topology.Translations {
	sides := slices.Repeat([]int{2}, bits.Len(uint(n))-1)
	return topology.Translation(sides...)
}
