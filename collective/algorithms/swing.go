package algorithms

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/topology"
)

// Swing (De Sensi et al., NSDI 2024). On one dimension, in step s node u exchanges
// with u+rho(s) if it is even and u-rho(s) if it is odd, rho = 1, -1, 3, -5, 11, ..:
// the distance grows more slowly than in recursive doubling, which shortens the
// paths on a static two-way ring.
//
// On a logical torus of D dimensions a node works in one dimension per step, taking the
// dimensions in turn. A dimension of side d takes part log2(d) times, the k-th time with
// rho(k). A node with several ports runs up to 2D such collectives at once, each on its share
// of every block: D that start in different dimensions, and their mirror images, whose
// distances are negated. A step s sends m/2^(s+1) in total, at most a 2D-th of it to each peer
// unless peers coincide (a side of 2 is its own mirror image). HARVEST uses this multi-port
// variant in §6.
//
// With p ports there are min(D, p/2) plain collectives and as many mirrored ones (one plain if
// p is 1). Unless it is given, the torus is the most even one of p/2 dimensions: a ring for up
// to 3 ports, two dimensions for 4, three for 6.
//
// With peers=P the steps are those of a node with P ports, however many ports there are; more
// ports widen circuits. peers=1 is Swing as in HARVEST's published schedules: two ports and one
// peer in a step.
var swingAlgorithm = Algorithm{
	Name:    "swing",
	About:   "pairwise exchange at distances 1, -1, 3, -5, 11, ..; 2 log2(n) steps",
	Ops:     reductions,
	Sizes:   powerOfTwoWords,
	Ports:   "two peers per dimension, ports/2 dimensions; an odd port only adds bandwidth",
	Options: []collective.Option{collective.OptionDims, collective.OptionPeers},
	check:   checkSwing,
	build:   buildSwing,
}

func checkSwing(op collective.Op, s *collective.Shape) error {
	if err := powerOfTwoNodes(op, s); err != nil {
		return err
	}
	if s.Peers > s.Ports {
		return fmt.Errorf("at most as many peers as ports, %d, not %d", s.Ports, s.Peers)
	}
	if s.Peers > 0 {
		s.Ports = s.Peers
	}
	if len(s.Dims) == 0 {
		s.Dims = evenSides(s.Nodes, max(1, s.Ports/2))
		return nil
	}
	size := 1
	for _, d := range s.Dims {
		if size *= d; d&(d-1) != 0 || size > s.Nodes {
			size = 0
			break
		}
	}
	if size != s.Nodes {
		return fmt.Errorf("sides that are powers of two and make %d nodes, not %v", s.Nodes, s.Dims)
	}
	return nil
}

// evenSides returns the most even sides of a torus of n nodes, a power of two, in ascending
// order: dims of them, or fewer if n does not have that many factors.
func evenSides(n, dims int) []int {
	exponent := bits.Len(uint(n)) - 1
	dims = min(dims, exponent)
	return each.Below(dims, func(i int) int { return 1 << ((exponent + i) / dims) })
}

func buildSwing(op collective.Op, s collective.Shape) *collective.Collective {
	group := topology.Translations{Dims: s.Dims, Stride: make([]int, len(s.Dims))}
	for i, side := range s.Dims {
		group.Stride[i] = 2
		if side == 2 && len(s.Dims) > 1 {
			group.Stride[i] = 1 // both coordinates move alike: exchange with the other
		}
	}
	var plain, mirrored []func(u, s int) int
	for start := range max(1, min(len(s.Dims), s.Ports/2)) {
		plain = append(plain, swingPeer(s.Dims, start, 1))
		mirrored = append(mirrored, swingPeer(s.Dims, start, -1))
	}
	peers := plain
	if s.Ports > 1 {
		peers = slices.Concat(plain, mirrored)
	}
	return butterfly(op, s.Nodes, bits.Len(uint(s.Nodes))-1, group, peers...)
}

// swingPeer returns the peer of a node in each step, if the first step is in dimension start
// and distances are multiplied by sign.
func swingPeer(dims []int, start, sign int) func(u, s int) int {
	type move struct{ side, weight, rho int }
	var moves []move
	done := make([]int, len(dims)) // number of steps in each dimension so far
	for idle, d := 0, start; idle < len(dims); d = (d + 1) % len(dims) {
		if 1<<done[d] == dims[d] {
			idle++
			continue
		}
		idle = 0
		weight := 1
		for _, side := range dims[d+1:] {
			weight *= side
		}
		moves = append(moves, move{dims[d], weight, sign * swingDistance(done[d])})
		done[d]++
	}
	return func(u, s int) int {
		m := moves[s]
		at, rho := u/m.weight%m.side, m.rho
		if at%2 == 1 {
			rho = -rho
		}
		return u + (((at+rho)%m.side+m.side)%m.side-at)*m.weight
	}
}

// swingDistance is rho(s) = (1 - (-2)^(s+1)) / 3.
func swingDistance(s int) int {
	power := 1
	for range s + 1 {
		power *= -2
	}
	return (1 - power) / 3
}
