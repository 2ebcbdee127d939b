package algorithms

import (
	"maps"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/topology"
)

// digitExchange is an all-to-all in which a block travels by the digits of its offset d-s: the
// block from node s to node d moves by digit*radix^k in phase k, and stays in place if the
// digit is 0. The digits add up to the offset, so every block arrives. It moves once for every
// nonzero digit.
type digitExchange struct {
	nodes, parts, radix int
	// atOnce is how many peers a node serves in a step, >= 1. A phase with more peers takes
	// several steps.
	atOnce int
	// start returns the number whose digits are used for part p of the blocks with an offset in
	// 1..nodes-1: the offset itself, or another number congruent to it modulo nodes.
	start func(offset, part int) int
	// digit returns the lowest digit of a number; the number minus that digit must be a multiple
	// of the radix. No digit may send a block to the node where it is.
	digit func(rest int) int
}

// steps lays out the exchange from node 0, because it looks the same from every node. Before
// phase k a block that has moved by x is at node 0 if it comes from -x. Digits that lead to the
// same peer share a transfer; a phase in which nothing moves has no step.
//
// It takes time O(blocks*log(blocks)) and memory O(blocks) for each phase, where blocks counts
// the blocks of one node.
func (x digitExchange) steps() []collective.Step {
	n := x.nodes
	count := n * x.parts // chunks at node 0; those with offset 0 stay
	rest, moved := make([]int, count), make([]int, count)
	for i := x.parts; i < count; i++ {
		rest[i] = x.start(i/x.parts, i%x.parts)
	}
	var steps []collective.Step
	for weight, left := 1, count-x.parts; left > 0; weight *= x.radix {
		left = 0
		sent := map[int][]int{} // by digit
		for i, r := range rest {
			if r == 0 {
				continue
			}
			d := x.digit(r)
			if rest[i] = (r - d) / x.radix; rest[i] != 0 {
				left++
			}
			if d == 0 {
				continue
			}
			src := arithmetic.Mod(-moved[i], n)
			dst := arithmetic.Mod(src+i/x.parts, n)
			sent[d] = append(sent[d], (src*n+dst)*x.parts+i%x.parts)
			moved[i] += d * weight
		}
		for base := range slices.Chunk(x.transfers(sent, weight), x.atOnce) {
			steps = append(steps, collective.Step{Group: topology.Rotations(n, 1), Base: base})
		}
	}
	return steps
}

// transfers lists the transfers of node 0 in a phase, by the digits 1, -1, 2, -2, ..
func (x digitExchange) transfers(sent map[int][]int, weight int) []collective.Transfer {
	digits := slices.Collect(maps.Keys(sent))
	slices.SortFunc(digits, func(a, b int) int {
		if max(a, -a) != max(b, -b) {
			return max(a, -a) - max(b, -b)
		}
		return b - a
	})
	var peers []int
	toPeer := make(map[int][]int, len(digits))
	for _, d := range digits {
		peer := arithmetic.Mod(d*weight, x.nodes)
		if toPeer[peer] == nil {
			peers = append(peers, peer)
		}
		toPeer[peer] = append(toPeer[peer], sent[d]...)
	}
	base := make([]collective.Transfer, len(peers))
	for i, peer := range peers {
		base[i] = collective.Transfer{Src: 0, Dst: peer, Action: collective.Copy, Chunks: collective.Of(toPeer[peer])}
	}
	return base
}

// truncatedDigit returns the lowest digit of a number, with the number's sign.
func truncatedDigit(radix int) func(rest int) int {
	return func(rest int) int { return rest % radix }
}

// balancedDigit returns the lowest of the digits -(radix-1)/2..(radix-1)/2 of a number; the
// radix is odd.
func balancedDigit(radix int) func(rest int) int {
	return func(rest int) int {
		return arithmetic.Mod(rest+radix/2, radix) - radix/2
	}
}
