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

func (s *shiftsPorts) draft(ctx context.Context, d, _ int) (*draft, error) {
	if err := s.seq.Extend(ctx, d); err != nil {
		return nil, err
	}
	stages, err := s.seq.Improve(ctx, s.seq.Stages[:d])
	if err != nil {
		return nil, err
	}
	share := jumpset.NewStagedSharing(s.nodes, stages)
	share.Settle()
	return s.routed(share.Ways(s.ports)), nil
}
