package strategy

import (
	"context"

	"github.com/lightpath-net/lightpath/planner/exchange/jumpset"
)

// shiftsPorts is the strategy shifts with several ports.
type shiftsPorts struct {
	uniform
	seq *jumpset.ShiftStages
}

func (s *shiftsPorts) candidates(ctx context.Context, d int, _ func(slots int) bool, visit visitor) error {
	if err := s.seq.Extend(ctx, d); err != nil {
		return err
	}
	stages, err := s.seq.Improve(ctx, d)
	if err != nil {
		return err
	}
	share := jumpset.NewStagedSharing(s.nodes, stages)
	if err := share.Settle(ctx); err != nil {
		return err
	}
	return visit(s.routed(share.Ways(s.ports)))
}
