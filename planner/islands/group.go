package islands

import (
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
)

// commonGroup returns a group that all steps of a plan have: the first of their groups that all
// others contain, or the trivial group.
func commonGroup(p *plan.Plan) topology.Translations {
	var groups []topology.Translations
	for _, step := range p.Steps() {
		if !slices.ContainsFunc(groups, func(g topology.Translations) bool { return g.Equal(step.Group) }) {
			groups = append(groups, step.Group)
		}
	}
	for _, g := range groups {
		if g.Trivial() {
			return topology.Translations{}
		}
	}
	for _, g := range groups {
		if !slices.ContainsFunc(groups, func(other topology.Translations) bool { return !contains(other, g, p.Fabric.Nodes) }) {
			return g
		}
	}
	return topology.Translations{}
}

// contains reports whether every element of group part is one of group whole.
func contains(whole, part topology.Translations, nodes int) bool {
	if whole.Equal(part) {
		return true
	}
	for _, k := range part.Generators() {
		to := part.Apply(k, 0)
		from, home := whole.Locate(0)
		at, other := whole.Locate(to)
		if from != 0 || home != other {
			return false
		}
		for u := range nodes {
			if part.Apply(k, u) != whole.Apply(at, u) {
				return false
			}
		}
	}
	return true
}

// cosets lists one element of a group for each coset of a subgroup. Translations commute, so
// elements that move a node to the same orbit are in the same coset.
func cosets(whole, part topology.Translations) []int {
	seen := map[int]bool{}
	var list []int
	for k := range whole.Order() {
		if _, coset := part.Locate(whole.Apply(k, 0)); !seen[coset] {
			seen[coset] = true
			list = append(list, k)
		}
	}
	return list
}

// under returns a step of a core written under a subgroup of its group.
func under(s plan.Step, space collective.Space, group topology.Translations) plan.Step {
	if group.Trivial() {
		s.Unfold(space)
		return s
	}
	made := plan.Step{Index: s.Index, Group: group, Cost: s.Cost}
	for _, k := range cosets(s.Group, group) {
		for i := range s.Base {
			made.Base = append(made.Base, s.Image(&space, k, i))
		}
	}
	return made
}

// lifted returns the group of the GPUs: the core's group moves islands and, if all places are
// alike, places move, too.
func lifted(core topology.Translations, islands, places int, alike bool) topology.Translations {
	g := topology.Translations{Dims: slices.Clone(core.Dims), Stride: slices.Clone(core.Stride)}
	if core.Trivial() {
		g = topology.Translations{Dims: []int{islands}, Stride: []int{islands}}
	}
	stride := places
	if alike {
		stride = 1
	}
	g.Dims, g.Stride = append(g.Dims, places), append(g.Stride, stride)
	if g.Trivial() {
		return topology.Translations{}
	}
	return g
}
