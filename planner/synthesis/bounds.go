package synthesis

import (
	"context"

	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// bounds holds the bounds of an interval before any topology is evaluated.
type bounds struct {
	counted
	relaxed *relaxation // nil if it would take too long
}

// relaxNodes is the number of nodes up to which the relaxation is tried.
const relaxNodes = 256

// bounds computes the counting bound. It also solves the relaxation if the given permutations,
// which must preserve the demands, divide the arcs into no more than the given number of classes.
// The cuts found on the way become the screen of the interval. With one port, fractional circuits
// are nothing like whole ones, and counting is as good.
func (iv *interval) bounds(ctx context.Context, perms [][]int, classes int) *bounds {
	b := &bounds{counted: iv.count()}
	if iv.Nodes > relaxNodes || iv.Ports == 1 {
		return b
	}
	a := arcsUnder(iv.Nodes, perms)
	if len(a.size) > classes {
		return b
	}
	b.relaxed = newRelaxation(iv, a, b.bytes)
	b.relaxed.run(ctx)
	b.time = max(b.time, b.over(iv, b.relaxed.bound))
	iv.screen = &screen{a, b.relaxed.cuts}
	return b
}

// screen bounds the loads of steps on complete topologies with known cuts.
type screen struct {
	*arcs
	cuts [][]cut // per class of steps
}

// cost returns roughly how many numbers loads touches.
func (s *screen) cost() int {
	cuts := each.Sum(s.cuts, func(c []cut) int { return len(c) })
	return cuts * len(s.size)
}

// loads returns a lower bound on the largest load of each class of steps. It takes time O(bundles
// + cuts x classes of arcs).
func (s *screen) loads(g *topology.Graph) []float64 {
	loads := make([]float64, len(s.cuts))
	circuits := make([]float64, len(s.size))
	for e := range g.Edges() {
		if o := s.class[e.From*s.n+e.To]; o >= 0 {
			circuits[o] += float64(e.Count)
		}
	}
	for i, cuts := range s.cuts {
		for _, c := range cuts {
			room := 0.0
			for o, x := range circuits {
				room += x * c.length[o]
			}
			loads[i] = max(loads[i], 1/room)
		}
	}
	return loads
}

// proven reports whether a cost is as low as the bound.
func proven(cost, bound units.Time) bool { return bound >= cost*(1-provenGap) }
