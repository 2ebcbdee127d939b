package portfolio

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/internal/capped"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/auto"
	"github.com/lightpath-net/lightpath/units"
)

// sequence plans several operations as one. If there are too many combinations of algorithms,
// each operation keeps those that are fastest when it is planned alone, since operations interact
// only through the circuits that one leaves to the next. The error wraps planner.ErrBeyond if all
// take longer than the limit; 0 is no limit.
func (r *Request) sequence(ctx context.Context, p planner.Planner, s *Search, limit units.Time) (*plan.Plan, error) {
	request := s.Ask(r.Fabric)
	keep := 1
	for capped.Power(keep+1, len(r.Operations), maxSequences+1) <= maxSequences {
		keep++
	}
	options := make([][]collective.Sized, len(r.Operations))
	for i := range options {
		ways, err := r.ways(i, p, s)
		if err != nil {
			return nil, err
		}
		if options[i], err = mostPromising(ctx, ways, request, keep); err != nil {
			return nil, r.blame(i, err)
		}
	}
	combinations := 1
	for _, o := range options {
		combinations *= len(o)
	}
	request.Limit = limit
	return auto.Fastest(ctx, request, combinations, func(k int) (planner.Planner, collective.Sized, error) {
		parts := make([]collective.Sized, len(options))
		for i, o := range options {
			parts[i] = o[k%len(o)]
			k /= len(o)
		}
		all, err := collective.InSequence(parts...)
		return p, all, err
	})
}

// mostPromising returns at most keep layouts to try in a sequence of several operations. It skips
// planners that make their own steps, since these plan one operation. If an algorithm leaves its
// number of pieces open, it takes the number that is best for the operation alone.
func mostPromising(ctx context.Context, ways []Way, request planner.Request, keep int) ([]collective.Sized, error) {
	var able []Way
	for _, w := range ways {
		if planner.TraitsOf(w.Planner).Composes == nil {
			able = append(able, w)
		}
	}
	if len(able) == 0 {
		return nil, fmt.Errorf("%w: planner %s plans one operation at a time", planner.ErrInfeasible, ways[0].Planner.Name())
	}
	type timed struct {
		collective.Sized
		alone units.Time
	}
	var made []timed
	var impossible []collective.Sized // kept to find the reason for having no plan
	request.Progress, request.Better, request.Made, request.Bare = nil, nil, nil, true
	var best []units.Time // the least of made, ascending
	for _, w := range able {
		laid, err := w.Lay(ctx)
		if err != nil {
			return nil, err
		}
		if len(able) <= keep && len(laid.Steps) > 0 {
			made = append(made, timed{Sized: laid})
			continue
		}
		request.Collective, request.Size, request.Limit = laid.Collective, laid.Size, 0
		if len(best) == keep {
			request.Limit = best[keep-1]
		}
		alone, err := w.Planner.Plan(ctx, request)
		switch {
		case errors.Is(err, planner.ErrBeyond):
			continue // enough others are faster
		case errors.Is(err, planner.ErrInfeasible):
			if len(laid.Steps) > 0 {
				impossible = append(impossible, laid)
			}
			continue
		case err != nil:
			return nil, err
		}
		if len(laid.Steps) == 0 {
			if laid, err = w.As(ctx, alone.Collective.Algorithm); err != nil {
				return nil, err
			}
		}
		time := alone.Cost.Total()
		made = append(made, timed{laid, time})
		at, _ := slices.BinarySearch(best, time)
		best = slices.Insert(best, at, time)
		best = best[:min(keep, len(best))]
	}
	if len(made) == 0 {
		return impossible[:min(keep, len(impossible))], nil
	}
	if len(able) > keep {
		slices.SortStableFunc(made, func(a, b timed) int { return cmp.Compare(a.alone, b.alone) })
	}
	layouts := make([]collective.Sized, 0, keep)
	for _, m := range made[:min(keep, len(made))] {
		layouts = append(layouts, m.Sized)
	}
	return layouts, nil
}
