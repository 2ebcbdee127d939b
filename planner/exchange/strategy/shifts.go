package strategy

import (
	"context"

	"github.com/lightpath-net/lightpath/planner/exchange/jumpset"
	"github.com/lightpath-net/lightpath/planner/exchange/model"
)

// shifts is the strategy of the best jumps found in the paper's model.
type shifts struct {
	uniform
	seq *jumpset.ShiftSequence
}

func newShifts(p *Problem) solver {
	u, ok := newUniform(p, Shifts, model.JumpHops)
	switch {
	case !ok:
		return nil
	case u.ports > 1:
		return &shiftsPorts{uniform: u, seq: jumpset.NewShiftStages(u.nodes, u.ports)}
	}
	return &shifts{uniform: u, seq: jumpset.NewShiftSequence(u.nodes)}
}

func (s *shifts) candidates(ctx context.Context, d int, _ func(slots int) bool, visit visitor) error {
	jumps, err := s.seq.Improved(ctx, d)
	if err != nil {
		return err
	}
	return visit(s.routed(jumpset.Covered(s.nodes, jumps).Ways(jumps)))
}
