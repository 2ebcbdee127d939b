package matching

import (
	"context"
	"math/bits"
	"slices"
)

// EachDivision visits several divisions of a demand into slots: FewestSlots; the first 1, 2, 4,
// .. slots of ShortestSlots, each followed by FewestSlots for the rest; and ShortestSlots. They
// do not depend on a delay, so the best of them is never slower with a smaller one.
//
// Before making a division it asks worth whether one with at least the given number of slots
// can help. If not, neither can those with more slots before the cut, and EachDivision ends. It
// stops soon after ctx is done and returns ctx.Err().
func EachDivision(ctx context.Context, demand [][]float64, worth func(slots int) bool, visit func([]Slot) error) error {
	r, err := newResidual(demand)
	if err != nil {
		return err
	}
	ended := false
	all := peel(r, func(list []holding) bool {
		err = ctx.Err()
		m := len(list)
		if err == nil && worth(m+1) {
			if bits.OnesCount(uint(m)) <= 1 && worth(m+r.peers()) {
				var few []holding
				if few, err = cover(ctx, r, slices.Clone(list)); err == nil {
					err = visit(r.slots(demand, few))
				}
			}
		} else {
			ended = true
		}
		return err == nil && !ended
	})
	if err != nil || ended {
		return err
	}
	return visit(r.slots(demand, all))
}
