package joint

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/joint/digit"
	"github.com/lightpath-net/lightpath/planner/standin"
)

// differing is Plan for fabrics whose circuits differ or have failed. The best plan for equal
// circuits may need a failed circuit, however the GPUs are numbered: 7 GPUs with one port sum up
// windows of 2, 4 and 7 over jumps of 1, 2 and 3, which use circuits between all pairs. So
// differing also tries the best few plans for several delays, and with fewer reconfigurations,
// unless the plan that it has takes no longer than the best one with all circuits.
func differing(ctx context.Context, r planner.Request) (*plan.Plan, error) {
	best, err := standin.Plan(ctx, fastest, r)
	late := errors.Is(err, planner.ErrBeyond) && best != nil // other plans may be within the limit
	if err != nil && !errors.Is(err, planner.ErrInfeasible) && !late || !r.Fabric.Links.IsZero() {
		return best, err
	}
	reason := err
	alike := r
	alike.Fabric.Avoid, alike.Limit = r.Fabric.Avoid.WithoutLinks(), 0
	whole, _, err := bestOf(ctx, &alike, digit.Limits{Changes: digit.AnyChanges})
	if err != nil {
		return nil, err
	}
	if whole == nil || best != nil && best.Cost.Total() <= whole.Cost.Total() {
		return best, reason
	}
	tried := map[string]bool{}
	for _, o := range others(ctx, &r, len(whole.Stages)-1) {
		within := r
		within.Limit = 0
		if best != nil {
			if o.floor >= float64(best.Cost.Total()) {
				break
			}
			within.Limit = best.Cost.Total()
		}
		what := fmt.Sprint(o.time, o.build().About)
		if tried[what] || len(tried) > mostPriced/r.Fabric.Nodes {
			continue
		}
		tried[what] = true
		p, err := standin.Plan(ctx, func(ctx context.Context, r planner.Request) (*plan.Plan, error) {
			p, err := o.plan(ctx, &r)
			if p == nil && err == nil {
				err = planner.ErrInfeasible
			}
			return p, err
		}, within)
		switch {
		case err == nil && (best == nil || p.Cost.Total() < best.Cost.Total()):
			best = p
		case err != nil && !errors.Is(err, planner.ErrInfeasible) && !errors.Is(err, planner.ErrBeyond):
			return nil, err
		}
	}
	if best == nil {
		return nil, reason
	}
	return best, r.Beyond(best.Cost.Total())
}

// others returns the further candidates for the best plan around failures, by ascending floor.
// The best plan without failures has the given number of reconfigurations; these have any number,
// or fewer.
func others(ctx context.Context, r *planner.Request, changes int) []option {
	stopped := func() bool { return ctx.Err() != nil }
	all := optionsFor(r, digit.Limits{Changes: digit.AnyChanges}, candidates, stopped)
	for c := range changes {
		all = append(all, optionsFor(r, digit.Limits{Changes: c}, candidates, stopped)...)
	}
	slices.SortStableFunc(all, func(a, b option) int { return cmp.Compare(a.floor, b.floor) })
	return all
}
