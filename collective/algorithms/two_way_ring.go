package algorithms

import (
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/topology"
)

// The ring in both directions at once: the first half of every block goes clockwise as in the
// ring, the second half counter-clockwise. It has the steps of the ring, n-1 per half of an
// allreduce, with m/(2n) to each neighbour instead of m/n to one. The volume of a node is the
// same, spread over two ports.
var twoWayRingAlgorithm = Algorithm{
	Name:  "two-way-ring",
	About: "half of every block goes round each way; n-1 steps per half, least bandwidth",
	Ops:   reductions,
	Sizes: anySizeWords,
	Ports: "two: one neighbour each; more only widen its circuits",
	check: func(_ collective.Op, s *collective.Shape) error { return twoPorts(s) },
	build: buildTwoWayRing,
}

// twoPorts is the check of algorithms that send to a neighbour on either side.
func twoPorts(s *collective.Shape) error {
	if s.Ports < 2 {
		return fmt.Errorf("2 or more ports, not %d", s.Ports)
	}
	return nil
}

func buildTwoWayRing(op collective.Op, s collective.Shape) *collective.Collective {
	const parts = 2
	n := s.Nodes
	group := topology.Rotations(n, 1)
	chunk := func(block, part int) int { return arithmetic.Mod(block, n)*parts + part }
	// These are node 0's transfers. What goes clockwise for block b goes the other way for -b.
	step := func(action collective.Action, block int) collective.Step {
		if n == 2 { // both neighbours are the same node
			return collective.Step{Group: group, Base: []collective.Transfer{{Src: 0, Dst: 1, Action: action, Chunks: collective.Every(chunk(block, 0), 1, parts)}}}
		}
		return collective.Step{Group: group, Base: []collective.Transfer{
			{Src: 0, Dst: 1, Action: action, Chunks: collective.Single(chunk(block, 0))},
			{Src: 0, Dst: n - 1, Action: action, Chunks: collective.Single(chunk(-block, 1))},
		}}
	}
	var scatter, gather []collective.Step
	for t := range n - 1 {
		scatter = append(scatter, step(collective.Reduce, -1-t))
		gather = append(gather, step(collective.Copy, -t))
	}
	return halves(op, collective.SpaceOf(op, n, parts), scatter, gather)
}
