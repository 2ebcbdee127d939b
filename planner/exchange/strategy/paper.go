package strategy

import (
	"context"
	"slices"

	"github.com/lightpath-net/lightpath/planner/exchange/jumpset"
	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/rounds"
	"github.com/lightpath-net/lightpath/planner/exchange/routing"
)

// paperRing is the paper's strategy with one port: of the first d shifts, a chunk takes
// the one with the fewest hops, and the chunks of one offset are a round.
type paperRing struct {
	uniform
	order []int
	cover *jumpset.Coverage // of the first cover.Count jumps
}

func newPaper(p *Problem) solver {
	u, ok := newUniform(p, Paper, model.LoadHops)
	switch {
	case !ok:
		return newPaperSkewed(p)
	case u.ports > 1:
		s := &paperPorts{uniform: u, sparing: p.sparing(), memory: p.Memory}
		if s.bases() == 1 { // which has jumps
			s.hops = model.JumpHops
		}
		return s
	}
	return &paperRing{uniform: u, order: rounds.ShiftOrder(u.nodes), cover: jumpset.NewCoverage(u.nodes)}
}

func (s *paperRing) candidates(_ context.Context, d int, _ func(slots int) bool, visit visitor) error {
	if s.cover.Count > d {
		s.cover = jumpset.NewCoverage(s.nodes)
	}
	for s.cover.Count < d {
		s.cover.Add(s.order[s.cover.Count])
	}
	jumps := s.order[:d]
	// A stage in which no offset has its fewest hops would be idle.
	used := make([]bool, d)
	for o := 1; o < s.nodes; o++ {
		used[s.cover.By[o]] = true
	}
	if slices.Contains(used, false) {
		return nil
	}
	ways := func() *routing.Ways { return jumpset.Covered(s.nodes, jumps).Ways(jumps) }
	return visit(&Candidate{
		Strategy: s.name, Stages: d, Slots: s.cover.Total * s.each,
		route: func(ctx context.Context) (Route, error) { return Route{Ways: ways()}, ctx.Err() },
		schedule: func(ctx context.Context) (*model.Schedule, error) {
			return ways().Schedule(s.name, s.each), ctx.Err()
		},
	})
}
