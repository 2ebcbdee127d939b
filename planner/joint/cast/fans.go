package cast

import (
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/planner"
)

// This file has trees with a different number of children on each level. If a step goes far
// first, every child in between costs the root's links a copy for each of its own children, while
// a child on the last level costs only the last step. So the same number of copies reaches more
// nodes if few nodes have children on early levels and all have them on late ones.
//
//	64 GPUs, 4 ports, two steps of 2 and 1 hops    copies on a link    nodes
//	4, 4, 3 children, level 2 first                4 + 1               4 + 16 + 43
//	4, 3, 4 children, level 2 first                3 + 1               4 + 12 + 47

// fanned is such a tree: the order of its levels, the children of a node on each level, and the
// most nodes that it can have, including its root.
type fanned struct {
	turns order
	fans  []int8 // of a node of level 0, 1, ..
	size  int
	cost  copied // hops and copies of all steps of the full tree
}

// fansKey is what the trees worth trying depend on.
type fansKey turnsKey

// fansOf returns the trees that no other tree beats in nodes, hops and copies on links.
func fansOf(k *planner.Memory, key fansKey) []fanned {
	if key.fan < 2 || key.steps == 1 || math.Pow(float64(key.fan*key.steps), float64(key.depth)) > maxTurns {
		return nil
	}
	return planner.Kept(k, key, func() ([]fanned, bool) { return key.best(), true })
}

// best lists the trees that no other tree beats.
func (k fansKey) best() []fanned {
	var list []fanned
	fans := make([]int8, k.depth)
	g := grove{fan: k.fan, depth: k.depth, steps: k.steps, turns: make(order, k.depth), fans: fans}
	try := func() {
		now := fanned{size: 1 + g.below}
		for _, s := range g.copies() {
			now.cost.hops, now.cost.load = now.cost.hops+s.hops, now.cost.load+s.load
		}
		kept := list[:0]
		for _, b := range list {
			if b.size >= now.size && b.cost.hops <= now.cost.hops && b.cost.load <= now.cost.load {
				return // which leaves the list as it was: nothing before it was dropped
			}
			if b.size > now.size || b.cost.hops < now.cost.hops || b.cost.load < now.cost.load {
				kept = append(kept, b)
			}
		}
		now.turns, now.fans = slices.Clone(g.turns), slices.Clone(fans)
		list = append(kept, now)
	}
	var choose func(level, nodes, below int)
	choose = func(level, nodes, below int) {
		if level == k.depth {
			g.below = below
			eachOrder(g.turns, k.steps, try)
			return
		}
		for f := 1; f <= k.fan; f++ {
			fans[level] = int8(f)
			choose(level+1, nodes*f, below+nodes*f)
		}
	}
	choose(0, 1, 0)
	return list
}

// fanned returns the stage in the given number of steps with a number of children for each level,
// in every way worth trying.
func (g grove) fanned(k *planner.Memory, steps int) []grove {
	var all []grove
	list := fansOf(k, fansKey{g.fan, g.depth, steps})
	for i, t := range list {
		worse := func(o fanned) bool { // which has room for all nodes, too
			return o.size > g.below && o.cost.hops <= t.cost.hops && o.cost.load <= t.cost.load && o.cost != t.cost
		}
		same := func(o fanned) bool { return o.size > g.below && o.cost == t.cost }
		if t.size <= g.below || slices.ContainsFunc(list, worse) || slices.ContainsFunc(list[:i], same) {
			continue
		}
		g.steps, g.turns, g.fans = steps, t.turns, t.fans
		if g.fits() {
			all = append(all, g)
		}
	}
	return all
}

// fits reports whether all levels but the last are full.
func (g grove) fits() bool {
	nodes, below := 1, 0
	for _, f := range g.fans[:g.depth-1] {
		nodes *= int(f)
		below += nodes
	}
	return below < g.below
}

// under returns how many nodes of a level are below the first node of a level above. All levels
// but the last are full, and the last level fills up from the first nodes on.
func (g grove) under(above, level int) int {
	all, below, each := 1, g.below, 1
	for l, f := range g.fans[:level] {
		all *= int(f)
		if l >= above {
			each *= int(f)
		}
		if l+1 < g.depth {
			below -= all
		}
	}
	if level < g.depth {
		return each
	}
	return min(each, below)
}

// growFanned is grow for levels with different numbers of children.
func (g grove) growFanned() (parent, level []int) {
	parent, level = make([]int, g.nodes), make([]int, g.nodes)
	next := g.roots
	now := make([][]int, g.roots) // by root: the level before
	left := make([]int, g.roots)
	for r := range g.roots {
		now[r], left[r] = []int{r}, (g.nodes-1-r)/g.roots
	}
	for depth, fan := range g.fans {
		for r := range g.roots {
			var later []int
			for _, u := range now[r] {
				for range min(int(fan), left[r]) {
					parent[next], level[next] = u, depth+1
					later = append(later, next)
					next, left[r] = next+1, left[r]-1
				}
			}
			now[r] = later
		}
	}
	return parent, level
}
