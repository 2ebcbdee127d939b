package algorithms

import (
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/topology"
)

// These algorithms have the same names in other libraries.
const (
	Ring             = "ring"
	Chain            = "chain"
	DoubleBinaryTree = "double-binary-tree"
)

// The ring: n-1 steps of reduce-scatter and n-1 of all-gather. In each step every node sends one
// block to its successor. It is bandwidth-optimal, with a latency linear in n.
var ringAlgorithm = Algorithm{
	Name:  Ring,
	About: "one block to the next node per step; n-1 steps per half, least bandwidth",
	Ops:   reductions,
	Sizes: anySizeWords,
	Ports: onePortWords,
	check: anyNodes,
	build: buildRing,
}

func buildRing(op collective.Op, s collective.Shape) *collective.Collective {
	n := s.Nodes
	group := topology.Rotations(n, 1)
	// This is node 0's transfer; block b starts at node b+1 and is complete when it arrives at b.
	step := func(action collective.Action, block int) collective.Step {
		return collective.Step{Group: group, Base: []collective.Transfer{{Src: 0, Dst: 1 % n, Action: action, Chunks: collective.Single(arithmetic.Mod(block, n))}}}
	}
	var scatter, gather []collective.Step
	for t := range n - 1 {
		scatter = append(scatter, step(collective.Reduce, -1-t))
		gather = append(gather, step(collective.Copy, -t))
	}
	return halves(op, collective.SpaceOf(op, n, 1), scatter, gather)
}
