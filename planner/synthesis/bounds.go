package synthesis

import (
	"context"

	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// bounds are the bounds of an interval before any topology is evaluated.
type bounds struct {
	counted
	relaxed *relaxation // nil where it would take too long
}

// relaxNodes is the number of nodes up to which pairs of nodes are sorted into classes.
const relaxNodes = 256

// bounds counts and, if the given permutations, which must leave the demands as they
// are, leave no more than so many classes of arcs, solves the relaxation. The cuts found
// on the way become the screen of the interval. With one port fractions of circuits are
// nothing like whole ones, and counting does as well.
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

// screen bounds the loads of steps on whole topologies by cuts that are known.
type screen struct {
	*arcs
	cuts [][]cut // per class of steps
}

// cost is how many numbers loads touches, about.
func (s *screen) cost() int {
	cuts := 0
	for _, c := range s.cuts {
		cuts += len(c)
	}
	return cuts * len(s.size)
}

// loads returns a lower bound on the largest load of each class of steps. It takes
// O(bundles + cuts x classes of arcs).
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
