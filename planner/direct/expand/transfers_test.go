package expand

import (
	"iter"

	"github.com/lightpath-net/lightpath/planner/direct/bfb"
)

// Transfers yields the transfers of a step, 1 <= step <= Steps; there are none outside.
// They are computed on demand and are the same every time. If a node has received only part of
// a shard, a step may transfer that part.
func (a *Allgather) Transfers(step int) iter.Seq[bfb.Transfer] {
	return func(yield func(bfb.Transfer) bool) {
		if step >= 1 && step <= a.Steps {
			a.source.stream(step, step, func(_ int, t bfb.Transfer) bool { return yield(t) })
		}
	}
}

// Transfers yields the transfers of a step, 1 <= step <= Steps; there are none outside.
// They are computed on demand. In a reduce-scatter a node sends every point of a shard once,
// after it has received and added up everything that others send it.
func (s *Schedule) Transfers(step int) iter.Seq[bfb.Transfer] {
	return func(yield func(bfb.Transfer) bool) {
		before := 0
		for _, h := range s.halves {
			if t := step - before; t >= 1 && t <= h.Steps {
				t = h.turn(t)
				h.source.stream(t, t, h.facing(before, func(_ int, t bfb.Transfer) bool { return yield(t) }))
			}
			before += h.Steps
		}
	}
}
