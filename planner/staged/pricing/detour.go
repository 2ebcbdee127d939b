package pricing

import (
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
)

// noDetour reports whether, on a two-way ring, no pair of a step can gain by going the longer way
// round: even with the least possible peak, the hops of that way would take longer than the whole
// step over shortest paths. Shortest paths are then the fastest routes. At 1024 GPUs a step down
// a tree is of this kind, and its linear program would have a thousand demands.
func (w *Workload) noDetour(c *Candidate, class *Class, floor, shortest flow.Load) bool {
	jumps, ok := c.Topology().Jumps()
	if !ok || len(jumps) == 0 {
		return false
	}
	half, ok := TwoWay(c.N, jumps)
	if !ok || !EqualJumps(half) {
		return false
	}
	ring := newJumper(c.N, half[0], len(half))
	if ring.gcd != 1 {
		return false
	}
	longest := 0
	farther := func(offset int) {
		hops := ring.hops(offset)
		longest = max(longest, min(hops, c.N-hops))
	}
	if class.Offsets != nil {
		for _, offset := range class.Offsets {
			farther(offset)
		}
	} else {
		for d := range w.whole(class) {
			farther(arithmetic.Offset(d.Src, d.Dst, c.N))
		}
	}
	// The pair that is farthest apart has the shortest detour.
	way := flow.Load{Peak: floor.Peak, Hops: c.N - longest}
	return w.price(way, class) > w.price(shortest, class)*(1+TieTolerance)
}
