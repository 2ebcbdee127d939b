package cast

import (
	"math"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/internal/capped"
)

// No numbers of children, one for each level, and no order of levels take fewer copies over the
// same hops than the best of those that are tried. The test lists all of them and counts the
// copies node by node on the full trees.
func TestFansEqualEnumeration(t *testing.T) {
	for fan := 2; fan <= 4; fan++ {
		for depth := 2; depth <= 3; depth++ {
			for steps := 2; steps <= depth; steps++ {
				list := fansOf(nil, fansKey{fan, depth, steps})
				for number := range capped.Power(fan*steps, depth, math.MaxInt) {
					g := grove{roots: 1, fan: fan, depth: depth, steps: steps, turns: make(order, depth), fans: make([]int8, depth)}
					nodes, used := 1, 0
					for i := range depth {
						g.fans[i], number = int8(number%fan)+1, number/fan
						g.turns[i], number = int8(number%steps)+1, number/steps
						used |= 1 << g.turns[i]
						nodes *= int(g.fans[i])
						g.below += nodes
					}
					if used != 1<<(steps+1)-2 {
						continue // a step without a level
					}
					g.nodes = 1 + g.below
					hops, load := countCopies(g)
					if !slices.ContainsFunc(list, func(f fanned) bool {
						return f.size >= g.nodes && f.cost.hops <= hops && f.cost.load <= load
					}) {
						t.Errorf("%d nodes over %d hops with %d copies, children %v, levels in steps %v: none is as good", g.nodes, hops, load, g.fans, g.turns)
					}
				}
			}
		}
	}
}

// Trees that are not full, from one root or several, have the predicted copies.
func TestFannedTreesHaveThePredictedCopies(t *testing.T) {
	tried := 0
	for fan := 2; fan <= 4; fan++ {
		for depth := 2; depth <= 4; depth++ {
			for below := depth; below < treeSize(fan, depth, 1<<20); below += 1 + below/8 {
				for steps := 2; steps <= depth; steps++ {
					g := grove{roots: 1, nodes: 1 + below, fan: fan, depth: depth, below: below}
					for _, g := range g.fanned(nil, steps) {
						tried++
						hops, load := 0, 0
						for _, s := range g.copies() {
							hops, load = hops+s.hops, load+s.load
						}
						if h, l := countCopies(g); h != hops || l != load {
							t.Errorf("%d below, children %v, levels in steps %v: %d copies over %d hops, there are %d over %d", below, g.fans, g.turns, load, hops, l, h)
						}
					}
				}
			}
		}
	}
	if tried < 100 {
		t.Errorf("%d trees only", tried)
	}
}

// 64 nodes with four ports get the message in steps of 2 hops and 1 hop with 4 copies on a link:
// first 12 nodes of level 2.
func TestSixtyFourNodesInFourCopies(t *testing.T) {
	g := grove{roots: 1, nodes: 64, fan: 4, depth: 3, below: 63}
	for _, g := range g.fanned(nil, 2) {
		if hops, load := countCopies(g); hops == 3 && load == 4 {
			return
		}
	}
	t.Error("there is none")
}
