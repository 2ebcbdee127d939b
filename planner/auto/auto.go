// Package auto plans with every planner and every algorithm that applies, and keeps the best
// plan.
package auto

import (
	"context"
	"errors"
	"math"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// Name is the name of the planner.
const Name = collective.Auto

// New returns the planner: the best of the given ones. In a tie the first one in the list wins.
func New(planners []planner.Planner) planner.Planner { return best(planners) }

type best []planner.Planner

func (best) Name() string  { return Name }
func (best) About() string { return "the fastest plan of all planners" }

// Traits implements planner.Described.
func (b best) Traits() planner.Traits {
	return planner.Traits{Best: true, Time: b.time, Most: b.most, Compare: b.compare, Options: &planner.Configurable{With: b.with}}
}

// manyNodes is the largest number of GPUs for which no upper bound is found before planning.
// There it would take longer than the plans that it saves: the plans of a step that takes
// thousands of hops list every hop.
const manyNodes = 1 << 12

// most implements planner.Traits.Most: it returns the upper bound of a planner that reconfigures
// before every step. That planner leaves nothing to choose, and has a plan for almost any steps.
func (b best) most(ctx context.Context, r planner.Request) (units.Time, error) {
	most := units.Time(math.Inf(1))
	if r.Fabric.Nodes <= manyNodes {
		return most, nil
	}
	for _, p := range b {
		t := planner.TraitsOf(p)
		if t.Baseline != plan.EveryStep || t.Bound == nil {
			continue
		}
		switch _, ceiling, err := t.Bound(ctx, r); {
		case errors.Is(err, planner.ErrInfeasible):
		case err != nil:
			return most, err
		default:
			most = min(most, ceiling)
		}
	}
	return most, nil
}

// with returns the planner for the same planners with the given options.
func (b best) with(given []planner.Options) planner.Planner {
	return New(planner.Registry(b).With(given...))
}

// Plan implements planner.Planner.
func (b best) Plan(ctx context.Context, r planner.Request) (*plan.Plan, error) {
	p, time, err := fastest(b, r, func(p planner.Planner, within planner.Request) (*plan.Plan, units.Time, error) {
		made, err := p.Plan(ctx, within)
		if err != nil {
			return nil, 0, err
		}
		return made, made.Cost.Total(), nil
	})
	if err == nil {
		err = r.Beyond(time) // a better one may have been given up
	}
	if err == nil && !r.Bare {
		err = b.compare(ctx, r, p)
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

// time implements planner.Traits.Time. Planners that cannot tell the time without a plan make
// one.
func (b best) time(ctx context.Context, r planner.Request) (units.Time, error) {
	_, time, err := fastest(b, r, func(p planner.Planner, within planner.Request) (struct{}, units.Time, error) {
		if known := planner.TraitsOf(p).Time; known != nil {
			time, err := known(ctx, within)
			return struct{}{}, time, err
		}
		made, err := p.Plan(ctx, within)
		if err != nil {
			return struct{}{}, 0, err
		}
		return struct{}{}, made.Cost.Total(), nil
	})
	if err == nil {
		err = r.Beyond(time)
	}
	return time, err
}

// compare implements planner.Traits.Compare, by the planner that made the plan.
func (b best) compare(ctx context.Context, r planner.Request, p *plan.Plan) error {
	for _, by := range b {
		if compare := planner.TraitsOf(by).Compare; compare != nil && by.Name() == p.Planner {
			return compare(ctx, r, p)
		}
	}
	return nil
}

// fastest asks every planner that no other covers and returns the best answer. It skips planners
// that have none; if no planner has one, it returns the first reason. Every planner is told the
// time of the best answer so far.
func fastest[T any](b best, r planner.Request, ask func(p planner.Planner, within planner.Request) (T, units.Time, error)) (T, units.Time, error) {
	var best, none T
	var least units.Time
	var reason error
	found := false
	for _, p := range planner.Registry(b).Uncovered() {
		within := r
		within.Bare = true // only the best plan is compared
		if found && (r.Limit == 0 || least < r.Limit) {
			within.Limit = least
		}
		answer, time, err := ask(p, within)
		switch {
		case errors.Is(err, planner.ErrBeyond):
			if !errors.Is(reason, planner.ErrBeyond) {
				reason = err // there is a plan that exceeds the limit
			}
		case errors.Is(err, planner.ErrInfeasible):
			if reason == nil {
				reason = err
			}
		case err != nil:
			return none, 0, err
		case !found || time < least*(1-SameTime):
			best, least, found = answer, time, true
		}
	}
	if !found {
		return none, 0, reason
	}
	return best, least, nil
}
