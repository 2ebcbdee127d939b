// Package auto plans with every planner and every algorithm that applies and keeps
// the best plan.
package auto

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
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

// Fastest plans count ways to carry a collective out and returns the fastest plan, of
// equals the first. The request's Collective and Size are those that way returns with the
// planner. Ways are planned in the order of the lower bounds on their time, and those whose
// bound is above the best plan so far are not planned at all.
func Fastest(ctx context.Context, r planner.Request, count int, way func(i int) (planner.Planner, collective.Sized, error)) (*plan.Plan, error) {
	tasks, err := boundedTasks(ctx, &r.Fabric, count, way)
	if err != nil {
		return nil, err
	}
	progress := r.Progress
	best, bestIndex := (*plan.Plan)(nil), 0
	var reason error
	for done, t := range tasks {
		if best != nil && t.bound > best.Cost.Total() {
			break // and so are those after it
		}
		if progress != nil {
			r.Progress = func(part, total int) { progress(done*total+part, count*total) }
		}
		r.Collective, r.Size = t.Collective, t.Size
		p, err := t.planner.Plan(ctx, r)
		switch {
		case errors.Is(err, planner.ErrInfeasible):
			if reason == nil {
				reason = err
			}
		case err != nil:
			return nil, err
		case best == nil || p.Cost.Total() < best.Cost.Total() || p.Cost.Total() == best.Cost.Total() && t.index < bestIndex:
			best, bestIndex = p, t.index
		}
	}
	if best == nil {
		return nil, reason
	}
	return best, nil
}

// task is a way to plan and the time that it cannot beat.
type task struct {
	collective.Sized
	planner planner.Planner
	index   int
	bound   units.Time
}

// boundedTasks lays all ways out, those with the lowest bounds first. One alone needs no
// bound.
func boundedTasks(ctx context.Context, f *fabric.Fabric, count int, way func(i int) (planner.Planner, collective.Sized, error)) ([]task, error) {
	tasks := make([]task, count)
	for i := range tasks {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p, c, err := way(i)
		if err != nil {
			return nil, err
		}
		tasks[i] = task{Sized: c, planner: p, index: i}
		if count > 1 && len(c.Steps) > 0 {
			tasks[i].bound = plan.BoundsOf(f, c.Collective, c.Size).Schedule
		}
	}
	slices.SortStableFunc(tasks, func(a, b task) int { return cmp.Compare(a.bound, b.bound) })
	return tasks, nil
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
