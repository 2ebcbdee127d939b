package strategy

import (
	"context"

	"github.com/lightpath-net/lightpath/planner/exchange/jumpset"
	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/rounds"
)

// paperRing is the paper's strategy with one port: of the first d shifts, a chunk takes
// the one with the fewest hops, and the chunks of one offset are a round.
type paperRing struct {
	uniform
	order []int
	cover *jumpset.Coverage // of the first jumps, as many as it counts
}

func newPaper(p *Problem) solver {
	u, ok := newUniform(p, Paper, model.LoadHops)
	switch {
	case !ok:
		return newPaperSkewed(p)
	case u.ports > 1:
		return &paperPorts{uniform: u}
	}
	return &paperRing{uniform: u, order: rounds.ShiftOrder(u.nodes), cover: jumpset.NewCoverage(u.nodes)}
}

func (s *paperRing) draft(_ context.Context, d, _ int) (*draft, error) {
	if s.cover.Count > d {
		s.cover = jumpset.NewCoverage(s.nodes)
	}
	for s.cover.Count < d {
		s.cover.Add(s.order[s.cover.Count])
	}
	jumps := s.order[:d]
	return &draft{strategy: s.name, stages: d, slots: s.cover.Total * s.each, build: func(ctx context.Context) (*model.Schedule, error) {
		return jumpset.Covered(s.nodes, jumps).Ways(jumps).Schedule(s.name, s.each), ctx.Err()
	}}, nil
}
