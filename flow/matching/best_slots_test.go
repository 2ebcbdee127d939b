package matching

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
)

// ErrDelay says that a delay between slots is negative or not finite.
var ErrDelay = errors.New("invalid delay")

// SlotsTime returns the time of a sequence of slots, in bytes: the sum of their durations and a
// delay for every change.
func SlotsTime(slots []Slot, delay float64) float64 {
	if len(slots) == 0 {
		return 0
	}
	sum := float64(float64(len(slots)-1) * delay)
	for _, s := range slots {
		sum += s.Duration
	}
	return sum
}

// BestSlots returns slots that carry the demand and take little time when every
// change of matching costs a delay (in bytes, >= 0): the best of ShortestSlots,
// which is optimal without delay, of FewestSlots, which is optimal when the delay
// exceeds everything else, and of the first 1, 2, 4, .. slots of ShortestSlots
// followed by FewestSlots for what they leave. Among equals it takes the fewer slots.
//
// SlotsTime of the result is at least SlotBound plus a delay for all but one of as
// many slots as a node has peers. In between the problem is NP-hard (Crescenzi, Deng
// and Papadimitriou 2001), and this is a heuristic; FewestSlots is called O(log n)
// times.
func BestSlots(ctx context.Context, demand [][]float64, delay float64) ([]Slot, error) {
	if !(delay >= 0) || math.IsInf(delay, 1) {
		return nil, fmt.Errorf("%w %v between slots, want one >= 0", ErrDelay, delay)
	}
	r, err := newResidual(demand)
	if err != nil {
		return nil, err
	}
	bound := r.bytes(r.bound)
	var best []Slot
	least := math.Inf(1)
	// What counts is the time of the finished slots, which absorb the leftovers.
	consider := func(list []holding) {
		slots := r.slots(demand, list)
		if t := SlotsTime(slots, delay); t < least {
			best, least = slots, t
		}
	}
	all := peel(r, func(list []holding) bool {
		m := len(list)
		if bits.OnesCount(uint(m)) <= 1 && bound+float64(float64(m+r.peers()-1)*delay) < least {
			var few []holding
			if few, err = cover(ctx, r, slices.Clone(list)); err == nil {
				consider(few)
			}
		}
		return ctx.Err() == nil
	})
	if err = ctx.Err(); err != nil {
		return nil, err
	}
	consider(all)
	return best, nil
}
