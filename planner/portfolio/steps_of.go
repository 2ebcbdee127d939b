package portfolio

import (
	"context"
	"errors"

	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
)

// stepsOf is a planner that looks for better circuits for the steps that another planner has
// composed. If it finds none, it keeps the circuits of the composer.
type stepsOf struct {
	planner.Planner
	composer planner.Planner
}

// Plan implements planner.Planner.
func (s stepsOf) Plan(ctx context.Context, r planner.Request) (*plan.Plan, error) {
	first := r
	first.Limit = 0 // slower plans may be improved
	own, err := s.composer.Plan(ctx, first)
	if err != nil {
		return nil, err
	}
	laid := own.Laid(ctx)
	r.Collective, r.Size = laid.Collective, laid.Size
	made, err := s.Planner.Plan(ctx, r)
	switch {
	case errors.Is(err, planner.ErrInfeasible), errors.Is(err, planner.ErrBeyond):
		return own, r.Beyond(own.Cost.Total())
	case err != nil:
		return nil, err
	case own.Cost.Total() <= made.Cost.Total():
		return own, nil
	}
	return made, nil
}
