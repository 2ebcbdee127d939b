package cast

import (
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/joint/digit"
	"github.com/lightpath-net/lightpath/planner/joint/network"
)

// This file chooses which level of a tree gets the message in which step. The nearest level above
// that has the message sends a copy to every node. It pays to go far first: if the levels in
// between wait, fewer copies pass the first links, and those levels get theirs while others go on
// below.
//
//	levels     1  2  3  4  5  6       copies on a link, two children each
//	in order   1  1  1  2  2  2       7 + 7
//	far first  2  2  1  2  2  2       4 + 7
//
// On a chain of W nodes an order is a mixed-radix number with digits of r1, r2, .., rk values.
// Step i takes the message from nodes that are W/(r1 .. ri-1) apart to nodes that are W/(r1 ..
// ri) apart, and a link carries ri-1 copies. All steps together have as many hops as the chain
// has links.

// order lists the steps, from 1, in which the levels of a tree get the message, from level 1.
type order []int8

// maxTurns limits the number of orders that are tried for a tree.
const maxTurns = 1 << 13

// turnsKey is what the orders worth trying depend on.
type turnsKey struct{ fan, depth, steps int }

// turnsOf returns the orders in the given number of steps that no other order beats in hops and
// copies on links, in trees whose last level is full, half full or nearly empty.
func turnsOf(k *planner.Memory, key turnsKey) []order {
	inOrder := key.inOrder()
	if key.steps == 1 || math.Pow(float64(key.steps), float64(key.depth)) > maxTurns {
		return []order{inOrder}
	}
	return planner.Kept(k, key, func() ([]order, bool) {
		list := []order{inOrder}
		most, least := treeSize(key.fan, key.depth, math.MaxInt32)-1, treeSize(key.fan, key.depth-1, math.MaxInt32)
		for _, below := range []int{least, (least + most) / 2, most} {
			for _, o := range key.best(below) {
				if !slices.ContainsFunc(list, func(known order) bool { return slices.Equal(known, o) }) {
					list = append(list, o)
				}
			}
		}
		return list, true
	})
}

// best returns the orders that no other order beats in trees with the given number of nodes below
// the root.
func (k turnsKey) best(below int) []order {
	type tried struct{ hops, load int }
	var times []tried
	var list []order
	g := grove{fan: k.fan, depth: k.depth, steps: k.steps, below: below, turns: make(order, k.depth)}
	try := func() {
		var now tried
		for _, s := range g.copies() {
			now.hops, now.load = now.hops+s.hops, now.load+s.load
		}
		kept := 0
		for i, b := range times {
			if b.hops <= now.hops && b.load <= now.load {
				return
			}
			if now.hops > b.hops || now.load > b.load {
				times[kept], list[kept] = times[i], list[i]
				kept++
			}
		}
		times, list = append(times[:kept], now), append(list[:kept], slices.Clone(g.turns))
	}
	eachOrder(g.turns, k.steps, try)
	return list
}

// eachOrder fills turns with every way to assign the levels to the given number of steps, none of
// them idle, and calls visit for each.
func eachOrder(turns order, steps int, visit func()) {
	var choose func(level, used int)
	choose = func(level, used int) {
		if level == len(turns) {
			if used == 1<<steps-1 {
				visit()
			}
			return
		}
		for step := range steps {
			turns[level] = int8(step + 1)
			choose(level+1, used|1<<step)
		}
	}
	choose(0, 0)
}

// inOrder gives levels the message in their order, the shorter steps first: loads grow with the
// levels of a step, and all levels but the last are full.
func (k turnsKey) inOrder() order {
	t := make(order, 0, k.depth)
	for i := range k.steps {
		for range (k.depth + i) / k.steps {
			t = append(t, int8(i+1))
		}
	}
	return t
}

// copied is the cost of a step of a stage: hops, and copies on the busiest link.
type copied struct{ hops, load int }

// copies returns the cost of each step of a stage.
func (g grove) copies() []copied {
	if g.fan == 1 {
		return g.alongChain()
	}
	if g.fans != nil {
		return g.copiesTo(g.under)
	}
	sizes := make([]int, g.depth+1) // by level, from 1: the largest subtree whose root is there
	sizes[0] = arithmetic.CeilDiv(g.below, g.atTop())
	for x := 1; x <= g.depth; x++ {
		sizes[x] = arithmetic.CeilDiv(max(0, sizes[x-1]-1), g.fan)
	}
	return g.copiesTo(func(holder, level int) int { return atLevel(sizes[holder-1], g.fan, level-holder+1) })
}

// copiesTo returns the cost of each step of a stage. under returns how many nodes of a level are
// in the largest subtree whose root is on a level above.
func (g grove) copiesTo(under func(above, level int) int) []copied {
	all := make([]copied, g.steps)
	for i := range all {
		step, one := int8(i+1), &all[i]
		holder, load := 0, 0
		for level := 1; level <= g.depth; level++ {
			switch turn := g.turns[level-1]; {
			case turn < step:
				holder, load = level, 0
			case turn == step:
				load += under(holder+1, level)
				*one = copied{max(one.hops, level-holder), max(one.load, load)}
			}
		}
	}
	return all
}

// atLevel returns how many nodes a tree of a size has on a level, counted from 1. What is below a
// node is dealt out evenly among its children, so all levels but the last are full.
func atLevel(size, fan, level int) int {
	room := 1
	for range level - 1 {
		size -= room
		if size <= 0 {
			return 0
		}
		room *= fan
	}
	return min(size, room)
}

// spans lists how far apart the nodes that have the message are along the chain, before the first
// step and after every step.
func (g grove) spans() []int {
	points := g.depth + 1
	radix := max(2, int(math.Pow(float64(points), 1/float64(g.steps))))
	larger := 0 // digits that have one value more
	product := func() float64 {
		return math.Pow(float64(radix), float64(g.steps-larger)) * math.Pow(float64(radix+1), float64(larger))
	}
	for product() < float64(points) && larger < g.steps {
		larger++
	}
	spans := make([]int, g.steps+1)
	spans[g.steps] = 1
	for i := g.steps - 1; i > 0; i-- {
		r := radix
		if i < larger {
			r++
		}
		spans[i] = spans[i+1] * r
	}
	spans[0] = points
	return spans
}

// alongChain returns the cost of each step down a chain.
func (g grove) alongChain() []copied {
	spans := g.spans()
	all := make([]copied, g.steps)
	for i := range all {
		all[i] = copied{spans[i] - spans[i+1], arithmetic.CeilDiv(spans[i], spans[i+1]) - 1}
	}
	return all
}

// chainSteps returns the most steps that are useful down a chain with the given number of links.
func chainSteps(depth int) int {
	steps := 1
	for 1<<steps <= depth {
		steps++
	}
	return steps
}

// senders returns, for every level, the step in which it gets the message and the level that
// sends it.
func (g grove) senders() (turn order, from []int) {
	turn, from = g.turns, make([]int, g.depth)
	if g.fan == 1 {
		turn = g.chainTurns()
	}
	for level := 1; level <= g.depth; level++ {
		for above := level - 1; above > 0 && from[level-1] == 0; above-- {
			if turn[above-1] < turn[level-1] {
				from[level-1] = above
			}
		}
	}
	return turn, from
}

// chainTurns returns the order down a chain. The gap that is not full comes first.
func (g grove) chainTurns() order {
	turn := make(order, g.depth)
	spans := g.spans()
	for i := range g.steps {
		last := g.depth + 1 // the next node that has it, or the end
		for level := g.depth; level >= 1; level-- {
			switch {
			case turn[level-1] > 0 && int(turn[level-1]) <= i:
				last = level
			case turn[level-1] == 0 && (last-level)%spans[i+1] == 0:
				turn[level-1] = int8(i + 1)
			}
		}
	}
	return turn
}

// takes returns the shape of a stage, in units of the message.
func (g grove) takes(m *digit.Machine) digit.Shape {
	s := digit.Shape{Steps: g.steps}
	w := float64(g.width)
	if g.even {
		return digit.Shape{Steps: 1, Hops: g.depth, Load: g.evenLoad() / w}
	}
	for _, one := range g.copies() {
		s.Hops += one.hops
		s.Load += m.Load(network.Tally{Peak: float64(one.load) / w, Dilation: float64(one.hops) / w, Pair: 1})
	}
	return s
}

// orders returns the stage in the given number of steps, in every order worth trying.
func (g grove) orders(s *digit.Search, steps int) []grove {
	g.steps = steps
	if g.fan == 1 {
		return []grove{g}
	}
	var all []grove
	for _, t := range turnsOf(s.Memory, turnsKey{g.fan, g.depth, steps}) {
		g.turns = t
		all = append(all, g)
	}
	if g.top > 0 {
		return all
	}
	return append(all, g.fanned(s.Memory, steps)...)
}

// mostSteps returns the most steps that are useful.
func (g grove) mostSteps() int {
	if g.fan == 1 {
		return chainSteps(g.depth)
	}
	return g.depth
}
