package algorithms

import (
	"fmt"
	"github.com/lightpath-net/lightpath/collective"
)

// Bruck's all-to-all (Bruck, Ho, Kipnis, Upfal and Weathersby, IEEE TPDS 8(11), 1997, §3,
// "index"): in phase i a block whose offset has the digit j in radix r moves on by j*r^i. With
// p ports p digits are sent at once:
//
//	steps:              at most ceil(log_r n) * ceil((r-1)/p)
//	digit j in phase i: floor(n/r^(i+1))*r^i + min(r^i, max(0, n mod r^(i+1) - j*r^i))
//	                    blocks of m/n bytes, which are n/r if n is a power of r
//
// Fewer steps mean more bytes: r = p+1, the default, has the fewest steps, and r >= n sends
// every block directly, p of them at a time. Steps for digits that no offset below n has are
// left out.
//
// The paper rotates blocks within a node before the first and after the last phase. Here a
// block is named by its pair of nodes, wherever it is, so nothing needs to be rotated.
var bruckIndexAlgorithm = Algorithm{
	Name:    "bruck-index",
	About:   "blocks hop by the radix-r digits of their offset; ceil(log_r(n)) phases",
	Ops:     []collective.Op{collective.AllToAll},
	Sizes:   anySizeWords,
	Ports:   "p digits of a phase at once; radix p+1 unless r=R says otherwise",
	Options: []collective.Option{collective.OptionRadix},
	check: func(_ collective.Op, s *collective.Shape) error {
		if s.Radix == 0 {
			s.Radix = s.Ports + 1
		}
		if s.Radix < 2 {
			return fmt.Errorf("a radix of 2 or more, not %d", s.Radix)
		}
		return nil
	},
	build: func(op collective.Op, s collective.Shape) *collective.Collective {
		exchange := digitExchange{
			nodes: s.Nodes, parts: 1, radix: s.Radix, atOnce: s.Ports,
			start: func(offset, _ int) int { return offset },
			digit: truncatedDigit(s.Radix),
		}
		return &collective.Collective{Space: collective.SpaceOf(op, s.Nodes, 1), Steps: exchange.steps()}
	},
}
