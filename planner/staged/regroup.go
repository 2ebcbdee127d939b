package staged

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
func everybody(space *collective.Space, c *class) bool {
	if c.uniform == 0 || slices.ContainsFunc(c.step.Base, func(t collective.Transfer) bool { return t.Src != 0 }) {
		return false
	}
	_, ok := c.step.EveryPair(space)
	return ok
}

// on returns the group under which a step is routed over circuits: the part of its own that they
// share, or theirs if the step has that too and far more demands under its own. On a torus of
// 128 x 128 nodes, rotations share 128 translations with it, and an exchange has two million
// demands; under its own 16384 there are as many as a node has.
func (c *class) on(g *topology.Graph) topology.Translations {
	group := c.step.Group.Within(g)
	if !c.everybody || len(c.demands)*(c.step.Group.Order()/group.Order()) <= manyDemands {
		return group
	}
	if whole, ok := g.Symmetry(); ok {
		return whole
	}
	return group
}

// eachUnder yields the transfers of a step under the group that it was routed under.
func (w *workload) eachUnder(step collective.Step, group topology.Translations) iter.Seq[collective.Transfer] {
	if group.Order() == step.Group.Order() {
		return slices.Values(step.Base)
	}
	return step.EachUnder(w.space, group)
}
