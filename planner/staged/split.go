package staged

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow/matching"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
)

// split takes steps that ask for more circuits than there are ports apart into
// several that do not: the Birkhoff-von Neumann view of a bulk step (HARVEST §3.3).
// It reports whether any step was taken apart. Steps of one class have the same pairs.
func split(f *fabric.Fabric, c *collective.Collective, classOf []int) (steps []collective.Step, changed bool, err error) {
	fits := map[int]bool{}
	for i, step := range c.Steps {
		fit, ok := fits[classOf[i]]
		if !ok {
			fit = pricing.FitsPorts(f, step)
			fits[classOf[i]] = fit
		}
		if fit {
			steps = append(steps, step)
			continue
		}
		parts := splitStep(f, c.Space, step)
		if len(steps) > 0 && samePairs(steps[len(steps)-1], parts[len(parts)-1]) {
			// The circuits that are up serve the last part: begin with it.
			turned := slices.Clone(parts)
			slices.Reverse(turned)
			if independent(c.Space, turned) == nil {
				parts = turned
			}
		}
		if err := independent(c.Space, parts); err != nil {
			return nil, false, fmt.Errorf("%w: step %d needs more than %d ports and cannot be taken apart: %v",
				planner.ErrInfeasible, i+1, f.Ports, err)
		}
		steps = append(steps, parts...)
		changed = true
	}
	return steps, changed, nil
}

// samePairs reports whether two steps ask for the same circuits.
func samePairs(a, b collective.Step) bool {
	sorted := func(s collective.Step) [][2]int {
		return slices.SortedFunc(slices.Values(s.Pairs()), func(x, y [2]int) int {
			return cmp.Or(cmp.Compare(x[0], y[0]), cmp.Compare(x[1], y[1]))
		})
	}
	return slices.Equal(sorted(a), sorted(b))
}

// splitStep deals the transfers out to parts, each of which fits the ports. Under a
// transitive group every base transfer is a permutation, so ports of them fit and the
// symmetry stays; otherwise a bipartite edge colouring gives the fewest matchings.
// Two-way circuits of rotations go by splitRotations, others are dealt out greedily.
func splitStep(f *fabric.Fabric, space collective.Space, step collective.Step) []collective.Step {
	var parts []collective.Step
	if !f.Duplex && step.Group.Order() == f.Nodes {
		for i := 0; i < len(step.Base); i += f.Ports {
			parts = append(parts, collective.Step{Group: step.Group, Base: step.Base[i:min(i+f.Ports, len(step.Base))]})
		}
		return parts
	}
	if f.Duplex && f.Ports >= 2 && len(step.Group.Dims) == 1 && step.Group.Stride[0] == 1 {
		return splitRotations(f, step)
	}
	var all []collective.Transfer
	for t := range step.All(space) {
		all = append(all, t)
	}
	deal := func(part int, t collective.Transfer) {
		for len(parts) <= part {
			parts = append(parts, collective.Step{})
		}
		parts[part].Base = append(parts[part].Base, t)
	}
	if !f.Duplex {
		for colour, members := range matching.Divide(f.Nodes, step.Pairs()) {
			for _, m := range members {
				deal(colour/f.Ports, all[m])
			}
		}
		return parts
	}
	var used []map[int]int         // ports in use, per part and node
	var circuits []map[[2]int]bool // pairs with a circuit, per part
	for _, t := range all {
		pair := [2]int{min(t.Src, t.Dst), max(t.Src, t.Dst)}
		part := 0
		for ; part < len(parts); part++ {
			if circuits[part][pair] || used[part][t.Src] < f.Ports && used[part][t.Dst] < f.Ports {
				break
			}
		}
		if part == len(parts) {
			used, circuits = append(used, map[int]int{}), append(circuits, map[[2]int]bool{})
		}
		if !circuits[part][pair] {
			circuits[part][pair] = true
			used[part][t.Src]++
			used[part][t.Dst]++
		}
		deal(part, t)
	}
	return parts
}

// splitRotations deals rotations out to parts on a duplex fabric: the offsets k and n-k
// share the two-way circuits between u and u+k, which take two ports of every node, or
// one if k is n/2.
func splitRotations(f *fabric.Fabric, step collective.Step) []collective.Step {
	n := f.Nodes
	var distances []int
	by := map[int][]collective.Transfer{}
	for _, t := range step.Base {
		k := (t.Dst - t.Src + n) % n
		k = min(k, n-k)
		if by[k] == nil {
			distances = append(distances, k)
		}
		by[k] = append(by[k], t)
	}
	slices.Sort(distances)
	var parts []collective.Step
	free := 0
	for _, k := range distances {
		ports := 2
		if 2*k == n {
			ports = 1
		}
		if free < ports {
			parts = append(parts, collective.Step{Group: step.Group})
			free = f.Ports
		}
		free -= ports
		last := &parts[len(parts)-1]
		last.Base = append(last.Base, by[k]...)
	}
	return parts
}

// independent checks that no part reads what an earlier one wrote: only then do the
// parts one after another do what the step did at once. A place is looked at once per
// orbit of the parts' common group.
func independent(space collective.Space, parts []collective.Step) error {
	type place struct{ node, chunk int }
	written := map[place]bool{}
	group := parts[0].Group
	at := func(node, chunk int) place {
		k, _ := group.Locate(node)
		back := group.Inverse(k)
		return place{group.Apply(back, node), space.Move(group, back, chunk)}
	}
	for _, part := range parts {
		for _, t := range part.Base {
			for c := range t.Chunks.All() {
				if written[at(t.Src, c)] {
					return fmt.Errorf("node %d would send chunk %d after receiving it", t.Src, c)
				}
				if t.Action == collective.Replace && written[at(t.Dst, c)] {
					return fmt.Errorf("node %d would replace a part of the sum of chunk %d", t.Dst, c)
				}
			}
		}
		for _, t := range part.Base {
			for c := range t.Chunks.All() {
				written[at(t.Dst, c)] = true
			}
		}
	}
	return nil
}
