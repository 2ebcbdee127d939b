package pricing

import (
	"iter"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/topology"
)

// manyDemands is the number of demands from which a step is seen under the symmetry of circuits
// instead of the part of its own that they share.
const manyDemands = 1 << 14

// everybody reports whether a step is the exchange of every node with every other, written as
// what the first node sends: its base stands for all of it under every group that makes all
// nodes of the first, and not only under the rotations that it is written with.
func everybody(space *collective.Space, c *Class) bool {
	if c.Uniform == 0 || slices.ContainsFunc(c.Step.Base, func(t collective.Transfer) bool { return t.Src != 0 }) {
		return false
	}
	_, ok := c.Step.EveryPair(space)
	return ok
}

// On returns the group under which a step is routed over circuits: the part of its own that they
// share, or theirs if the step has that too and far more demands under its own. On a torus of
// 128 x 128 nodes, rotations share 128 translations with it, and an exchange has two million
// demands; under its own 16384 there are as many as a node has.
func (c *Class) On(g *topology.Graph) topology.Translations {
	group := c.Step.Group.Within(g)
	if !c.Everybody || len(c.Demands)*(c.Step.Group.Order()/group.Order()) <= manyDemands {
		return group
	}
	if whole, ok := g.Symmetry(); ok {
		return whole
	}
	return group
}

// EachUnder yields the transfers of a step under the group that it was routed under.
func (w *Workload) EachUnder(step collective.Step, group topology.Translations) iter.Seq[collective.Transfer] {
	if group.Order() == step.Group.Order() {
		return slices.Values(step.Base)
	}
	return step.EachUnder(w.Space, group)
}
