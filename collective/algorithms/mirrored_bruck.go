package algorithms

import (
	"fmt"
	"github.com/lightpath-net/lightpath/collective"
)

// Mirrored Bruck: Bruck's all-to-all in radix 2 on each half of every block, one half clockwise
// and the other counter-clockwise, so that it uses both directions of two-way circuits. Juerss
// and Schmid compare ReTri with it ("Revisiting Bruck: Phase-Efficient All-to-All Communication
// in Reconfigurable Networks", §2 and §4, an extension of their Bridge).
//
// In phase i node u sends part 0 of the blocks whose offset has bit i to u+2^i, and part 1 of
// the blocks whose mirrored offset n-(d-s) has bit i to u-2^i. That is ceil(log2 n) phases; in
// each and per direction
//
//	floor(n/2^(i+1))*2^i + max(0, n mod 2^(i+1) - 2^i)
//
// half blocks of m/(2n) bytes, m/4 bytes in all if n is a power of two (§3.4). In the last
// phase of a power of two both directions lead to the same peer, u+n/2, and share a
// transfer of m/2 bytes.
var mirroredBruckAlgorithm = Algorithm{
	Name:  "mirrored-bruck",
	About: "Bruck's radix 2 on half of every block in each direction; ceil(log2(n)) phases",
	Ops:   []collective.Op{collective.AllToAll},
	Sizes: anySizeWords,
	Ports: "two, one per direction; more only widen its circuits",
	check: func(_ collective.Op, s *collective.Shape) error {
		if s.Ports < 2 {
			return fmt.Errorf("2 or more ports, not %d", s.Ports)
		}
		return nil
	},
	build: func(op collective.Op, s collective.Shape) *collective.Collective {
		const radix, directions = 2, 2
		n := s.Nodes
		exchange := digitExchange{
			nodes: n, parts: directions, radix: radix, atOnce: directions,
			start: func(offset, part int) int {
				if part == 1 {
					return offset - n // the mirrored offset, in the other direction
				}
				return offset
			},
			digit: truncatedDigit(radix),
		}
		return &collective.Collective{Space: collective.SpaceOf(op, n, directions), Steps: exchange.steps()}
	},
}
