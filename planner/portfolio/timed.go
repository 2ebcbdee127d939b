package portfolio

import (
	"context"
	"errors"
	"math"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/auto"
	"github.com/lightpath-net/lightpath/units"
)

// beatenElsewhere returns the fastest plan on circuits that stay if it is faster than static's
// plan. It does so without making static's plan: pieces down a chain of 4096 GPUs are millions of
// transfers. It also skips times that cannot be as good: routing recursive doubling of 16384 GPUs
// over a torus takes gigabytes. It returns nil if static's plan is as fast, or if that is unknown
// without making it.
func (r *Request) beatenElsewhere(ctx context.Context, s *Search) (*plan.Plan, error) {
	based, most, ok, err := r.timed(ctx, plan.Static, s.strictly())
	if !ok || err != nil {
		return nil, err
	}
	if !math.IsInf(float64(most), 1) {
		s = s.within(most)
	}
	other, err := r.stayingElsewhere(ctx, s)
	switch {
	case errors.Is(err, planner.ErrBeyond), errors.Is(err, planner.ErrInfeasible):
		return nil, nil
	case err != nil:
		return nil, err
	}
	beaten := other.Cost.Total()
	for _, t := range based {
		if t.bound >= beaten {
			break // later ones cannot win either
		}
		if t.lay != nil {
			laid, err := t.lay(ctx)
			if err != nil {
				return nil, r.blame(0, err)
			}
			t.asks(laid)
			if t.bound >= beaten {
				continue
			}
		}
		t.request.Limit = beaten
		took, err := t.time(ctx, t.request)
		switch {
		case errors.Is(err, planner.ErrBeyond), errors.Is(err, planner.ErrInfeasible):
		case err != nil:
			return nil, err
		case took <= beaten:
			return nil, nil
		}
	}
	return other, nil
}

// timed is a way whose time is known without its plan.
type timed struct {
	time    func(ctx context.Context, r planner.Request) (units.Time, error)
	request planner.Request
	bound   units.Time // a lower bound on the time
	// lay lays out the steps, which takes long; nil: the request has them.
	lay func(ctx context.Context) (collective.Sized, error)
}

// asks makes the request ask for steps, and bounds their time.
func (t *timed) asks(laid collective.Sized) {
	t.request.Collective, t.request.Size = laid.Collective, laid.Size
	t.bound = max(t.bound, bound.PerStep(&t.request.Fabric, laid.Collective, laid.Size))
}

// timed returns the ways of a baseline's planner to carry out the one operation, in the order of
// their bounds, and an upper bound on the fastest. It reports false if the time of some way is
// unknown without its plan.
func (r *Request) timed(ctx context.Context, b plan.Baseline, s *Search) (list []timed, most units.Time, ok bool, err error) {
	p := s.Planners().Baseline(b)
	if p == nil || r.Pattern != nil || len(r.Operations) != 1 {
		return nil, 0, false, nil
	}
	ways, err := r.Ways(ctx, p, s)
	if err != nil {
		return nil, 0, false, r.blame(0, err)
	}
	most = units.Time(math.Inf(1))
	for _, w := range ways {
		traits := planner.TraitsOf(w.Planner)
		if traits.Time == nil {
			return nil, 0, false, nil
		}
		t := timed{time: traits.Time, request: s.Ask(r.Fabric)}
		asked := &t.request
		asked.Bare, asked.Progress, asked.Status, asked.Better, asked.Made = true, nil, nil, nil, nil
		if w.Outline != nil {
			t.lay, t.bound = w.Lay, w.Outline.PerStep(&r.Fabric)
			list = append(list, t)
			continue
		}
		laid, err := w.Lay(ctx)
		if err != nil {
			return nil, 0, false, r.blame(0, err)
		}
		t.asks(laid)
		if traits.Bound != nil && len(laid.Steps) == 0 { // pieces, in closed form
			least, ceiling, err := traits.Bound(ctx, *asked)
			switch {
			case errors.Is(err, planner.ErrInfeasible):
				continue
			case err != nil:
				return nil, 0, false, err
			}
			t.bound, most = max(t.bound, least), min(most, ceiling)
		}
		list = append(list, t)
	}
	auto.Order(list, func(t timed) auto.Bounds { return auto.Bounds{Least: t.bound, Most: units.Time(math.Inf(1))} })
	return list, most, true, nil
}
