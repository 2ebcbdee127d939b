package algorithms

import (
	"math/bits"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/topology"
)

// Bine butterfly (binomial negabinary; De Sensi et al., SC 2025, arXiv:2508.17311):
// distances are sums of powers of -2. In step i node u exchanges with u + sum of
// (-2)^k over k = 0..i if it is even, u minus that if it is odd: m/2, then m/4, .. in
// the reduce-scatter, whose distances grow, and back in the all-gather.
//
// The sum is (1-(-2)^(i+1))/3, Swing's rho(i), so this is Swing on one dimension and one port,
// as HARVEST remarks in §6 ("equivalent .. in terms of communication pattern"). The name is
// here for those who look for it. The paper's trees, and its butterfly with halving distances, are
// left out: they save traffic on links that groups of nodes share, and circuits are not shared.
var bineAlgorithm = Algorithm{
	Name:  "bine",
	About: "pairwise exchange at negabinary distances, which are those of swing; 2 log2(n) steps",
	Ops:   reductions,
	Sizes: powerOfTwoWords,
	Ports: onePortWords,
	check: powerOfTwoNodes,
	build: func(op collective.Op, s collective.Shape) *collective.Collective {
		n := s.Nodes
		peer := func(u, i int) int {
			distance, power := 0, 1
			for range i + 1 {
				distance += power
				power *= -2
			}
			if u%2 == 1 {
				distance = -distance
			}
			return arithmetic.Mod(u+distance, n)
		}
		return butterfly(op, n, bits.Len(uint(n))-1, topology.Rotations(n, 2), peer)
	},
}
