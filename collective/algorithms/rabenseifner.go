package algorithms

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/topology"
)

// Rabenseifner's allreduce (ICCS 2004; Thakur, Rabenseifner and Gropp, 2005): reduce-scatter by
// recursive halving, which exchanges m/2 with u XOR n/2, m/4 with u XOR n/4, .., and all-gather
// by recursive doubling in the reverse order. The vector and the distance both halve, so what a
// node keeps is contiguous. Halving-doubling has the same bytes at distances that double.
//
// If n lies between two powers of two, q < n < 2q, an allreduce first folds 2(n-q) nodes into
// half as many. In each pair of neighbours 2i, 2i+1 the even node gives away the second half of
// its vector and the odd node the first. The odd node then gives its sum to the even one, which
// continues for both and returns the result at the end. That is 2 log2(q) steps of 2(q-1)/q*m
// in total, plus three of m/2, m/2 and m. The vector is divided into q shares: equal ones if
// that takes at most maxShares parts per block, else shares that differ by at most one part.
var rabenseifnerAlgorithm = Algorithm{
	Name:  "rabenseifner",
	About: "pairwise exchange with u XOR n/2, n/4, .. of m/2, m/4, ..; 2 log2(n) steps",
	Ops:   reductions,
	Sizes: powerOfTwoWords + ", or any number for allreduce",
	Ports: onePortWords,
	check: func(op collective.Op, s *collective.Shape) error {
		if s.Nodes&(s.Nodes-1) != 0 && op != collective.AllReduce {
			return fmt.Errorf("%s, or any number for allreduce, not %d", powerOfTwoWords, s.Nodes)
		}
		return nil
	},
	build: func(op collective.Op, s collective.Shape) *collective.Collective {
		n := s.Nodes
		steps := bits.Len(uint(n)) - 1
		if n != 1<<steps {
			return foldedRabenseifner(n, steps)
		}
		sides := slices.Repeat([]int{2}, steps)
		return butterfly(op, n, steps, topology.Translation(sides...), func(u, s int) int { return u ^ n>>(s+1) })
	},
}

// maxShares limits the parts per block of a folded vector.
const maxShares = 8

// foldedRabenseifner lays out the allreduce of n nodes, 2^steps < n < 2^(steps+1).
func foldedRabenseifner(n, steps int) *collective.Collective {
	q := 1 << steps
	// n*parts is a multiple of q if parts is a multiple of q/gcd(n, q).
	parts := min(q>>min(bits.TrailingZeros(uint(n)), steps), maxShares)
	chunks := n * parts
	c := &collective.Collective{Space: collective.SpaceOf(collective.AllReduce, n, parts)}
	extra := n - q
	node := func(share int) int { return share + min(share, extra) } // which node has share i
	bound := func(share int) int { return share * chunks / q }       // where share i begins
	within := func(from, to int) collective.Chunks { return collective.Every(from, 1, to-from) }

	var trade, fold, unfold []collective.Transfer
	for i := range extra {
		even, odd := 2*i, 2*i+1
		trade = append(trade,
			collective.Transfer{Src: even, Dst: odd, Action: collective.Reduce, Chunks: within(chunks/2, chunks)},
			collective.Transfer{Src: odd, Dst: even, Action: collective.Reduce, Chunks: within(0, chunks/2)})
		fold = append(fold, collective.Transfer{Src: odd, Dst: even, Action: collective.Copy, Chunks: within(chunks/2, chunks)})
		unfold = append(unfold, collective.Transfer{Src: even, Dst: odd, Action: collective.Copy, Chunks: within(0, chunks)})
	}
	c.Steps = []collective.Step{{Base: trade}, {Base: fold}}

	var gather []collective.Step
	for width := q / 2; width >= 1; width /= 2 { // number of shares that an exchange leaves to each
		var halve, double []collective.Transfer
		for i := range q {
			peer := i ^ width
			mine, theirs := i&^(width-1), peer&^(width-1)
			halve = append(halve, collective.Transfer{Src: node(i), Dst: node(peer), Action: collective.Reduce,
				Chunks: within(bound(theirs), bound(theirs+width))})
			double = append(double, collective.Transfer{Src: node(i), Dst: node(peer), Action: collective.Copy,
				Chunks: within(bound(mine), bound(mine+width))})
		}
		c.Steps = append(c.Steps, collective.Step{Base: halve})
		gather = append(gather, collective.Step{Base: double})
	}
	slices.Reverse(gather)
	c.Steps = append(append(c.Steps, gather...), collective.Step{Base: unfold})
	return c
}
