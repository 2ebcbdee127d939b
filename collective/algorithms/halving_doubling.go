package algorithms

import (
	"math/bits"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/topology"
)

// Halving-doubling (Rabenseifner 2004, Thakur et al. 2005): pairwise exchange. The
// reduce-scatter halves the vector and doubles the distance (u with u XOR 1, then
// u XOR 2, ..), so that most bytes go to the nearest; the all-gather walks back.
var halvingDoublingAlgorithm = Algorithm{
	Name:  "halving-doubling",
	About: "pairwise exchange with u XOR 1, 2, 4, .. of m/2, m/4, ..; 2 log2(n) steps",
	Ops:   reductions,
	Sizes: powerOfTwoWords,
	Ports: onePortWords,
	check: powerOfTwoNodes,
	build: func(op collective.Op, s collective.Shape) *collective.Collective {
		n := s.Nodes
		steps := bits.Len(uint(n)) - 1
		sides := slices.Repeat([]int{2}, steps)
		return butterfly(op, n, steps, topology.Translation(sides...), func(u, s int) int { return u ^ 1<<s })
	},
}
