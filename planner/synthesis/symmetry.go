package synthesis

import (
	"slices"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/topology"
)

// translations returns the largest group of translations that preserves the demands of every
// step, among the subgroups of the steps' given groups and of the rotations.
func (iv *interval) translations() topology.Translations {
	best := topology.Translations{}
	for _, whole := range append(iv.givenGroups(), topology.Rotations(iv.Nodes, 1)) {
		if common := whole.Restrict(iv.invariant); common.Order() > best.Order() {
			best = common
		}
	}
	return best
}

// givenGroups lists the full groups of translations with the dimensions of the steps' groups.
func (iv *interval) givenGroups() []topology.Translations {
	var groups []topology.Translations
	for _, c := range iv.classes {
		if !c.Group.Trivial() {
			groups = append(groups, topology.Translation(c.Group.Dims...))
		}
	}
	return groups
}

// invariant reports whether all elements of the group map every step onto itself.
func (iv *interval) invariant(group topology.Translations) bool {
	for _, k := range group.Generators() {
		for _, c := range iv.classes {
			if sameDims(c.Group, group) && c.contains(group) {
				continue
			}
			moved := make([]flow.Demand, 0, len(c.all()))
			for _, d := range c.all() {
				moved = append(moved, flow.Demand{Src: group.Apply(k, d.Src), Dst: group.Apply(k, d.Dst), Amount: d.Amount})
			}
			if !slices.Equal(merged(moved), c.all()) {
				return false
			}
		}
	}
	return true
}

func sameDims(a, b topology.Translations) bool { return slices.Equal(a.Dims, b.Dims) }

// contains reports whether the step's own group has all elements of another group with the same
// dimensions.
func (c *class) contains(group topology.Translations) bool {
	for i, s := range group.Stride {
		if s%c.Group.Stride[i] != 0 {
			return false
		}
	}
	return true
}

// symmetries lists permutations of the nodes that preserve the demands: some automorphisms if
// they can be found quickly, and translations otherwise.
func (iv *interval) symmetries() [][]int {
	if iv.Nodes <= maxExactNodes {
		return sample(iv.automorphisms())
	}
	return generators(iv.translations(), iv.Nodes)
}

// generators lists generators of a group of translations, as permutations.
func generators(group topology.Translations, n int) [][]int {
	var perms [][]int
	for _, k := range group.Generators() {
		p := make([]int, n)
		for u := range n {
			p[u] = group.Apply(k, u)
		}
		perms = append(perms, p)
	}
	return perms
}

// arcsUnder sorts the ordered pairs of nodes into orbits of the group that the
// permutations generate, in the order of their first pairs.
func arcsUnder(n int, perms [][]int) *arcs {
	a := &arcs{n: n, class: make([]int, n*n)}
	for e := range a.class {
		a.class[e] = -1
	}
	var queue []int
	for e := range a.class {
		if e/n == e%n || a.class[e] >= 0 {
			continue
		}
		o := len(a.size)
		a.class[e] = o
		queue = append(queue[:0], e)
		for i := 0; i < len(queue); i++ {
			u, v := queue[i]/n, queue[i]%n
			for _, p := range perms {
				if f := p[u]*n + p[v]; a.class[f] < 0 {
					a.class[f] = o
					queue = append(queue, f)
				}
			}
		}
		a.size = append(a.size, float64(len(queue)))
		a.first = append(a.first, e)
	}
	return a
}

// commodities returns one demand of a step for each class of arcs.
func (a *arcs) commodities(demands []flow.Demand) []commodity {
	var list []commodity
	seen := make([]bool, len(a.size))
	for _, d := range demands {
		if o := a.class[d.Src*a.n+d.Dst]; !seen[o] {
			seen[o] = true
			list = append(list, commodity{Demand: d, weight: a.size[o]})
		}
	}
	return list
}
