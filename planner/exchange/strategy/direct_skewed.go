package strategy

import (
	"cmp"
	"context"
	"slices"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/planner/exchange/routing"
)

// directSkewed is the strategy direct for uneven demands: one shift after the other, each until
// its largest pair is done. With several ports, shifts that take about equally long share a
// topology. Shifts without demand are left out.
type directSkewed struct {
	skewed
	shifts []int // in descending order of their largest pair
}

func newDirectSkewed(p *Problem) solver {
	s, ok := newSkewed(p, Direct, false)
	if !ok {
		return nil
	}
	d := &directSkewed{skewed: s}
	largest := make([]int, s.nodes)
	for j := 1; j < s.nodes; j++ {
		for u := range s.nodes {
			largest[j] = max(largest[j], s.demand.Count(u, (u+j)%s.nodes))
		}
		if largest[j] > 0 {
			d.shifts = append(d.shifts, j)
		}
	}
	slices.SortStableFunc(d.shifts, func(a, b int) int { return cmp.Compare(largest[b], largest[a]) })
	return d
}

func (s *directSkewed) limit() int { return arithmetic.CeilDiv(len(s.shifts), s.ports) }

func (s *directSkewed) worth() []int { return []int{s.limit()} }

func (s *directSkewed) candidates(ctx context.Context, d int, _ func(slots int) bool, visit visitor) error {
	if d != s.limit() {
		return nil
	}
	f := &routing.Flows{Nodes: s.nodes, Ports: s.ports}
	for group := range slices.Chunk(s.shifts, s.ports) {
		f.Stages = append(f.Stages, routing.Rings(s.nodes, group))
	}
	return s.direct(ctx, f, visit)
}
