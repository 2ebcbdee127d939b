package algorithms

import (
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/topology"
)

// Trivance (Juerss, Addanki and Schmid, 2026, arXiv:2602.17254), as described by RETRI in §3.1:
// on two ports, in phase k node u exchanges with u-3^k and u+3^k. This is the variant with the
// fewest steps: every node sends all it has, m bytes each way, and adds what arrives from both
// sides. After phase k it has the sum of the 3^(k+1) nodes around it, so log3(n) steps make an
// allreduce.
var trivanceAlgorithm = Algorithm{
	Name:  "trivance",
	About: "whole buffer to u+3^k and u-3^k at once; log3(n) steps of m bytes each way",
	Ops:   []collective.Op{collective.AllReduce},
	Sizes: powerOfThreeWords,
	Ports: "two: a peer each way; more only widen its circuits",
	check: checkTrivance,
	build: func(op collective.Op, s collective.Shape) *collective.Collective {
		n := s.Nodes
		c := &collective.Collective{Space: collective.SpaceOf(op, n, 1)}
		for o := 1; o < n; o *= 3 {
			all := collective.Every(0, 1, n)
			c.Steps = append(c.Steps, ternaryStep(n, o, collective.Reduce, all, all))
		}
		return c
	},
}

// Trivance's peers with the least bandwidth: a reduce-scatter in which phase k sends m/3^(k+1)
// each way, and an all-gather in the reverse order; 2*log3(n) steps and 2(n-1)/n*m in total,
// the same each way.
//
// The distance from u to the owner of a block has one balanced ternary representation (digits
// -1, 0, 1; RETRI §3.2), and phase k uses digit k: u sends the blocks b = u+3^k (mod 3^(k+1))
// up, the blocks b = u-3^k down, and keeps b = u. In the all-gather u sends all it has, b = u
// (mod 3^(k+1)), both ways. RETRI defines this movement for blocks of an all-to-all. Using it
// for reductions, with the nearest peers first, where most bytes go, is our choice.
var trivanceBandwidthAlgorithm = Algorithm{
	Name:  "trivance-bandwidth",
	About: "m/3, m/9, .. to u+3^k and u-3^k at once and back; 2 log3(n) steps",
	Ops:   reductions,
	Sizes: powerOfThreeWords,
	Ports: "two: a peer each way; more only widen its circuits",
	check: checkTrivance,
	build: func(op collective.Op, s collective.Shape) *collective.Collective {
		n := s.Nodes
		var scatter, gather []collective.Step
		for o := 1; o < n; o *= 3 {
			up, down := collective.Every(o, 3*o, n/(3*o)), collective.Every(2*o, 3*o, n/(3*o))
			scatter = append(scatter, ternaryStep(n, o, collective.Reduce, up, down))
		}
		for o := n / 3; o >= 1; o /= 3 {
			held := collective.Every(0, 3*o, n/(3*o))
			gather = append(gather, ternaryStep(n, o, collective.Copy, held, held))
		}
		return halves(op, collective.SpaceOf(op, n, 1), scatter, gather)
	},
}

const powerOfThreeWords = "a power of three nodes (3, 9, 27, ..)"

func checkTrivance(_ collective.Op, s *collective.Shape) error {
	power := 3
	for power < s.Nodes {
		power *= 3
	}
	if power != s.Nodes {
		return fmt.Errorf("%s, not %d", powerOfThreeWords, s.Nodes)
	}
	return twoPorts(s)
}

// ternaryStep returns the step in which node 0 sends to the nodes o above and o below it.
func ternaryStep(n, o int, action collective.Action, up, down collective.Chunks) collective.Step {
	return collective.Step{Group: topology.Rotations(n, 1), Base: []collective.Transfer{
		{Src: 0, Dst: o, Action: action, Chunks: up},
		{Src: 0, Dst: n - o, Action: action, Chunks: down},
	}}
}
