package algorithms

import (
	"fmt"
	"github.com/lightpath-net/lightpath/collective"
)

// ReTri (Juerss and Schmid, "Revisiting Bruck: Phase-Efficient All-to-All Communication in
// Reconfigurable Networks", §3.2): Bruck's all-to-all in balanced ternary. In phase k node u
// sends the blocks whose centred offset has digit +1 to u+3^k, and those with digit -1 to
// u-3^k, so that both directions of a two-way circuit are in use.
//
// With 2q ports it runs in balanced radix R = 2q+1 (§5, "Extension Beyond Rings"): digits
// -q..q, and in phase k peers u+j*R^k. An odd port only widens circuits. With the option r=R, a
// phase of more peers than ports takes ceil((R-1)/2q) steps; the peers u+j*R^k and u-j*R^k are
// in the same step.
//
// The paper takes n = 3^s. Here n is any: offsets are centred on -(ceil(n/2)-1)..n/2 and hops
// are modulo n, and it still takes ceil(log_R n) phases. For odd n that is because (R^s-1)/2 >=
// (n-1)/2 means R^s >= n. For even n the offset n/2, which has no mirror image and counts as
// +n/2, requires R^s >= n+1, and a power of R is odd. Two digits of the last phase may lead to
// the same peer (n = 6: +3 and -3); their blocks then share a transfer. Each node has n-1
// blocks to send, of m/n bytes:
//
//	digit j in phase k: the offsets o with floor((o + (R^k-1)/2) / R^k) = j modulo R,
//	                    which are n/R, that is m/R bytes, if n is a power of R
//
// For other n, the mirror image of an offset has the mirrored digits: directions +j and -j
// carry the same if n is odd, and differ by the block of offset n/2 if n is even. So for R = 3
// the larger of the two is ceil((n-z)/2) blocks, where z is the number of offsets with digit 0.
// The paper's remark (§5) that other n behave as the next power of three holds for the phases;
// the volume depends on the offsets that exist.
//
// If a block has several representatives within the range of the digits, the centred one is
// used, even if another would have fewer nonzero digits.
var retriAlgorithm = Algorithm{
	Name:    "retri",
	About:   "balanced ternary digits, both ways at once; ceil(log3(n)) phases with 2 ports",
	Ops:     []collective.Op{collective.AllToAll},
	Sizes:   anySizeWords,
	Ports:   "two or more: 2q ports make phases of 2q peers, ceil(log_R(n)) of them with R = 2q+1",
	Options: []collective.Option{collective.OptionRadix},
	check: func(_ collective.Op, s *collective.Shape) error {
		if s.Ports < 2 {
			return fmt.Errorf("2 or more ports, not %d", s.Ports)
		}
		if s.Radix == 0 {
			s.Radix = s.Ports/2*2 + 1
		}
		if s.Radix < 3 || s.Radix%2 == 0 {
			return fmt.Errorf("an odd radix of 3 or more, not %d", s.Radix)
		}
		return nil
	},
	build: func(op collective.Op, s collective.Shape) *collective.Collective {
		n := s.Nodes
		exchange := digitExchange{
			nodes: n, parts: 1, radix: s.Radix, atOnce: s.Ports / 2 * 2,
			start: func(offset, _ int) int { return centred(offset, n) },
			digit: balancedDigit(s.Radix),
		}
		return &collective.Collective{Space: collective.SpaceOf(op, n, 1), Steps: exchange.steps()}
	},
}

// centred returns the representative of an offset in 0..n-1 that is closest to 0; n/2 stays
// n/2.
func centred(offset, n int) int {
	if offset > n/2 {
		return offset - n
	}
	return offset
}
