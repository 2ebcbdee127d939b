package lightpath

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// beatenElsewhere returns the fastest plan on circuits that stay where that is faster than what
// static makes, of which only the time is found for it: pieces down a chain of 4096 GPUs are
// millions of transfers. It returns nil where static's plan is as fast, or where its time is
// not known without it.
func (r *PlanRequest) beatenElsewhere(ctx context.Context, e environment) (*plan.Plan, error) {
	based, ok, err := r.timeOf(ctx, roleStatic, &e)
	if !ok || err != nil {
		return nil, err
	}
	e.limit = based
	other, err := r.stayingElsewhere(ctx, e)
	switch {
	case errors.Is(err, planner.ErrBeyond), errors.Is(err, planner.ErrInfeasible):
		return nil, nil
	case err != nil:
		return nil, err
	case other.Cost.Total() < based:
		return other, nil
	}
	return nil, nil
}

// timeOf returns the time of the fastest plan of a planner for the one operation, without
// making it. It reports false where there is none, or none that is known without its plan.
func (r *PlanRequest) timeOf(ctx context.Context, name string, e *environment) (time units.Time, ok bool, err error) {
	p, err := e.registry.Lookup(name)
	if err != nil || r.Pattern != nil || len(r.Operations) != 1 {
		return 0, false, nil
	}
	ways, _, err := r.waysOnAll(ctx, p, e)
	if err != nil || slices.ContainsFunc(ways, func(w way) bool { _, timed := w.planner.(planner.Timer); return !timed }) {
		return 0, false, err
	}
	type candidate struct {
		planner.Timer
		request planner.Request
		bound   units.Time
	}
	var list []candidate
	for _, w := range ways {
		laid, err := w.lay(ctx)
		if err != nil {
			return 0, false, r.blame(0, err)
		}
		c := candidate{Timer: w.planner.(planner.Timer), request: r.request(e)}
		asked := &c.request
		asked.Collective, asked.Size, asked.Bare = laid.Collective, laid.Size, true
		asked.Progress, asked.Status, asked.Better = nil, nil, nil
		c.bound = plan.PerStepBound(&r.Fabric, laid.Collective, laid.Size)
		if b, bounds := w.planner.(planner.Bounder); bounds && len(laid.Steps) == 0 { // pieces, in closed form
			least, _, err := b.Bound(ctx, *asked)
			switch {
			case errors.Is(err, planner.ErrInfeasible):
				continue
			case err != nil:
				return 0, false, err
			}
			c.bound = max(c.bound, least)
		}
		list = append(list, c)
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(a.bound, b.bound) })
	for _, c := range list {
		if ok && c.bound >= time {
			break // as those after it
		}
		c.request.Limit = time
		took, err := c.Time(ctx, c.request)
		switch {
		case errors.Is(err, planner.ErrBeyond), errors.Is(err, planner.ErrInfeasible):
		case err != nil:
			return 0, false, err
		case !ok || took < time:
			time, ok = took, true
		}
	}
	return time, ok, nil
}
