package pricing

import (
	"iter"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/topology"
)

// manyDemands is the number of demands above which a step is routed under the symmetry of the
// circuits instead of the part of its own symmetry that they share.
const manyDemands = 1 << 14

// everybody reports whether a step is the exchange of every node with every other, written as
// what node 0 sends. Its base then represents the whole step under every group that moves node 0
// to all nodes, and not only under the rotations with which it is written.
func everybody(space *collective.Space, c *Class) bool {
	if c.Uniform == 0 || slices.ContainsFunc(c.Step.Base, func(t collective.Transfer) bool { return t.Src != 0 }) {
		return false
	}
	_, ok := c.Step.EveryPair(space)
	return ok
}

// On returns the group under which a step is routed over circuits: the part of the step's group
// that the circuits share, or the group of the circuits if the step has that symmetry too and
// would otherwise have far more demands. For example, a torus of 128 x 128 nodes shares 128
// translations with the rotations, under which an exchange has two million demands; under the
// torus's own 16384 translations it has only those of one node.
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
