package collective

import (
	"math/bits"

	"github.com/lightpath-net/lightpath/topology"
)

// Swing (De Sensi et al., NSDI 2024) on one dimension: in step s node u exchanges
// with u+rho(s) if it is even and u-rho(s) if it is odd, rho = 1, -1, 3, -5, 11, ..:
// the distance grows more slowly than in recursive doubling, which shortens the
// paths on a static two-way ring.
var swingAlgorithm = Algorithm{
	Name:  "swing",
	About: "pairwise exchange at distances 1, -1, 3, -5, 11, ..; 2 log2(n) steps",
	Ops:   reductions,
	Sizes: powerOfTwoWords,
	fits:  powerOfTwo,
	build: func(op Op, n int) *Collective {
		peer := func(u, s int) int {
			rho := swingDistance(s)
			if u%2 == 1 {
				rho = -rho
			}
			return ((u+rho)%n + n) % n
		}
		return butterfly(op, n, bits.Len(uint(n))-1, topology.Rotations(n, 2), peer)
	},
}

// swingDistance is rho(s) = (1 - (-2)^(s+1)) / 3.
func swingDistance(s int) int {
	power := 1
	for range s + 1 {
		power *= -2
	}
	return (1 - power) / 3
}
