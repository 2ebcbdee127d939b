// Package auto plans with every planner and every algorithm that applies and keeps
// the best plan.
package auto

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
)

// New returns the planner "auto": the best of the given ones. Ties go to the one
// that is listed first.
func New(planners []planner.Planner) planner.Planner { return best(planners) }

type best []planner.Planner

func (best) Name() string  { return "auto" }
func (best) About() string { return "the fastest plan of all planners" }

// Plan implements planner.Planner.
func (b best) Plan(ctx context.Context, r planner.Request) (*plan.Plan, error) {
	return fastest(len(b), func(i int) (*plan.Plan, error) {
		if b.covered(b[i].Name()) {
			return nil, errCovered
		}
		return b[i].Plan(ctx, r)
	})
}

// errCovered is the reason for not asking a planner.
var errCovered = fmt.Errorf("%w: another planner is never slower", planner.ErrInfeasible)

// covered reports whether another planner never loses to the named one.
func (b best) covered(name string) bool {
	for _, p := range b {
		if c, ok := p.(planner.Covering); ok && p.Name() != name && slices.Contains(c.Covers(), name) {
			return true
		}
	}
	return false
}

// Fastest plans count ways to carry a collective out and returns the fastest plan. The
// request's Collective and Size are those that way returns with the planner.
func Fastest(ctx context.Context, r planner.Request, count int, way func(i int) (planner.Planner, collective.Sized, error)) (*plan.Plan, error) {
	progress := r.Progress
	return fastest(count, func(i int) (*plan.Plan, error) {
		p, c, err := way(i)
		if err != nil {
			return nil, err
		}
		if progress != nil {
			r.Progress = func(done, total int) { progress(i*total+done, count*total) }
		}
		r.Collective, r.Size = c.Collective, c.Size
		return p.Plan(ctx, r)
	})
}

// fastest makes count plans and returns the best, passing over those that are not
// possible; if none is, the first reason.
func fastest(count int, make func(i int) (*plan.Plan, error)) (*plan.Plan, error) {
	var best *plan.Plan
	var reason error
	for i := range count {
		p, err := make(i)
		switch {
		case errors.Is(err, planner.ErrInfeasible):
			if reason == nil || errors.Is(reason, errCovered) {
				reason = err
			}
		case err != nil:
			return nil, err
		case best == nil || p.Cost.Total() < best.Cost.Total():
			best = p
		}
	}
	if best == nil {
		return nil, reason
	}
	return best, nil
}
