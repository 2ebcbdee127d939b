package finder

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/lightpath-net/lightpath/topology"
)

// One-way circulants need n^(1/d) steps, and generalized Kautz graphs up to twice the least
// bandwidth, because nodes that are far from one node are near to another. Cayley graphs of
// groups that do not commute have few steps and look the same from every node. They and their
// line graphs exist at sizes between those of the line graphs of good circulants.

// addOneWay adds the one-way Cayley graphs of least diameter that it finds.
func (f *Finder) addOneWay(ctx context.Context, k key, p *pool) error {
	if k.twoWay || k.degree < 2 || k.nodes < k.degree+2 || k.nodes > mostOneWay {
		return nil
	}
	hopes := plain | simple | balanced | constructed
	limit, ok := f.widest(k, p, hopes)
	if !ok {
		return nil
	}
	found, err := f.closestCayley(ctx, k, limit)
	if err != nil {
		return err
	}
	for _, s := range slices.Backward(found) {
		if p.covers(f.floor(k, s.diameter), hopes) || f.beyondDiameter(k, s.diameter) {
			continue
		}
		exprs := []topology.Expr{s.expr}
		if f.halves == 1 { // the transpose swaps the costs of allgather and reduce-scatter
			exprs = append(exprs, operator("Transpose", s.expr))
		}
		for _, expr := range exprs {
			if _, err := f.check(ctx, k, p, expr, constructed); err != nil {
				return err
			}
		}
	}
	return nil
}

// mostOneWay is the largest number of nodes for which the finder looks for one-way Cayley
// graphs. Beyond it, line graphs of smaller ones already have few steps.
const mostOneWay = 1 << 11

// drawAny draws different elements of a group.
func drawAny(group [3]int, degree int, random *rand.Rand) ([]int, bool) {
	var chosen []int
	for len(chosen) < degree {
		if x := 1 + random.IntN(group[0]*group[1]-1); !slices.Contains(chosen, x) {
			chosen = append(chosen, x)
		}
	}
	slices.Sort(chosen)
	return chosen, true
}

// groupsOf returns the semidirect products of cyclic groups, with nodes elements, that are
// tried.
func groupsOf(nodes int) [][3]int {
	var groups [][3]int
	for order := 2; order < nodes; order++ {
		if m := nodes / order; nodes%order == 0 && m > 2 {
			groups = append(groups, turnsOf(m, order)...)
		}
	}
	return groups
}
