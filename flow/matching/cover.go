package matching

import (
	"context"
	"slices"
)

// FewestSlots returns the smallest number of slots that carry the demand: the largest number of
// peers that any node sends to, or receives from. Every pair is in one slot, which lasts as
// long as its largest pair needs. Row i of the demand is what node i sends, in bytes; its
// diagonal is ignored.
//
// As in the proof of König (1916), every slot serves all lines (rows and columns) that have
// most pairs left. Among the matchings that do, it takes the one with the largest sum of fourth
// powers of its pairs, so that pairs of similar size share a slot. That is a heuristic for a
// short total, which is NP-hard to minimise (Kesselman and Kogan 2007). A slot takes O(n^3).
// Divide is faster and needs as few slots, but ignores sizes.
func FewestSlots(ctx context.Context, demand [][]float64) ([]Slot, error) {
	r, err := newResidual(demand)
	if err != nil {
		return nil, err
	}
	list, err := cover(ctx, r, nil)
	if err != nil {
		return nil, err
	}
	return r.slots(demand, list), nil
}

// cover appends the smallest number of slots that carry what is left of r, without changing r.
func cover(ctx context.Context, r *residual, list []holding) ([]holding, error) {
	n := r.n
	if n == 0 {
		return list, nil
	}
	open := slices.Clone(r.left)
	largest := float64(slices.Max(open))
	peers := r.degrees()
	cost := make([][]float64, n)
	for i := range cost {
		cost[i] = make([]float64, n)
	}
	for {
		most := slices.Max(peers)
		if most == 0 {
			return list, nil
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for i := range n {
			for j := range n {
				cost[i][j] = 0
				if open[i*n+j] == 0 {
					continue
				}
				square := float64(open[i*n+j]) / largest
				square = float64(square * square)
				cost[i][j] = -float64(square * square) // at least -1
				// A line that must be served counts more than all pairs together.
				if peers[i] == most {
					cost[i][j] -= float64(n + 1)
				}
				if peers[n+j] == most {
					cost[i][j] -= float64(n + 1)
				}
			}
		}
		a, err := Assign(cost)
		if err != nil {
			panic("flow: " + err.Error()) // no entry is forbidden
		}
		h := holding{match: a.Columns}
		for i, j := range a.Columns {
			k := i*n + j
			if open[k] == 0 {
				h.match[i] = -1
				continue
			}
			h.length = max(h.length, open[k])
			open[k] = 0
			peers[i]--
			peers[n+j]--
		}
		list = append(list, h)
	}
}
