// Package auto plans with every planner and every algorithm that applies, and keeps the best
// plan.
package auto

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/bound"
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

// errCovered is the reason for not asking a planner that another one covers.
var errCovered = fmt.Errorf("%w: another planner is never slower", planner.ErrInfeasible)

// covered reports whether another planner never loses to the named one.
func (b best) covered(name string) bool {
	for _, p := range b {
		if p.Name() != name && slices.Contains(planner.TraitsOf(p).Covers, name) {
			return true
		}
	}
	return false
}

// Fastest is FastestOf for count ways that are laid out at once. way returns the planner and the
// request's Collective and Size.
func Fastest(ctx context.Context, r planner.Request, count int, way func(i int) (planner.Planner, collective.Sized, error)) (*plan.Plan, error) {
	ways := make([]Way, count)
	for i := range ways {
		p, laid, err := way(i)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		ways[i] = Way{Planner: p, Lay: func(context.Context) (collective.Sized, error) { return laid, nil }}
	}
	return FastestOf(ctx, r, ways)
}

// Way is a planner with the request's Collective and Size. If Outline is not nil, laying out takes
// long, and a bound by the outline may show that it is not needed. Lay may be called more than
// once.
type Way struct {
	Planner planner.Planner
	Lay     func(ctx context.Context) (collective.Sized, error)
	Outline *bound.Outline
}

// FastestOf plans a collective in several ways and returns the fastest plan; in a tie up to
// rounding, that of the first way.
//
// Planners that make their own steps come first, the last listed before the others, because they
// are quick and good; of these, planners that leave part of the fabric unused (Traits.Partly)
// come after the rest. The other ways are planned in the order of their lower bounds. Ways whose
// bound is above the best plan so far are skipped, and a costly bound is not computed if a simple
// one is enough. The way with the least certain upper bound comes before them, unless the first
// of them is planned sooner. Every planner gets the time of the best plan so far as its limit. A
// planner that makes its own steps and bounds its time is planned among the other ways. Ways that
// can at best equal an earlier plan are skipped. Planners with Traits.Last come after all others.
// Ways with an outline are bounded after all others, and laid out only if they can still win.
func FastestOf(ctx context.Context, r planner.Request, ways []Way) (*plan.Plan, error) {
	count := len(ways)
	c := contest{request: r, count: count}
	var first, partly, later, outlined, last []task
	for i, w := range ways {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		t := task{planner: w.Planner, traits: planner.TraitsOf(w.Planner), index: i}
		if w.Outline != nil && count > 1 && !t.traits.Last {
			t.lay, t.most = w.Lay, units.Time(math.Inf(1))
			t.bound = t.outlined(&r.Fabric, w.Outline)
			outlined = append(outlined, t)
			continue
		}
		var err error
		if t.Sized, err = w.Lay(ctx); err != nil {
			return nil, err
		}
		switch {
		case t.traits.Last:
			last = append(last, t)
		case t.traits.Bound != nil || len(t.Steps) > 0:
			later = append(later, t)
		case t.traits.Partly:
			partly = append(partly, t)
		default:
			first = append(first, t)
		}
	}
	slices.Reverse(first)
	slices.Reverse(partly)
	for _, t := range append(first, partly...) {
		if err := c.plan(ctx, t); err != nil {
			return nil, err
		}
	}
	if count > 1 { // a single way needs no bound
		for i := range later {
			later[i].most = units.Time(math.Inf(1))
			later[i].bound = bound.PerStep(&r.Fabric, later[i].Collective, later[i].Size)
		}
		Order(later, c.bounds) // what the first may take says enough about the others
		for i := range later {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			t := &later[i]
			if err := c.bound(ctx, t); err != nil {
				return nil, err
			}
		}
		if err := c.layOut(ctx, outlined); err != nil {
			return nil, err
		}
		later = append(later, outlined...)
		if Order(later, c.bounds) {
			if len(later) > 1 && later[1].lighter(&later[0]) {
				byBound(later) // the upper bound of the sure way is known
			} else {
				if err := c.plan(ctx, later[0]); err != nil {
					return nil, err
				}
				later = later[1:]
			}
		}
	}
	if err := c.inOrder(ctx, later); err != nil {
		return nil, err
	}
	// Rounding may have put the ceiling too low.
	if c.best == nil && c.ceiling > 0 && (r.Limit == 0 || c.ceiling < r.Limit) {
		c.ceiling, c.beyond = 0, nil
		if err := c.inOrder(ctx, later); err != nil {
			return nil, err
		}
	}
	if err := c.atLast(ctx, last); err != nil {
		return nil, err
	}
	switch {
	case c.best == nil && c.beyond != nil:
		return nil, c.beyond
	case c.best == nil:
		return nil, c.reason
	}
	if compare := c.winner.traits.Compare; compare != nil && !r.Bare {
		r.Collective, r.Size = c.winner.Collective, c.winner.Size
		r.Progress, r.Status = nil, nil
		if err := compare(ctx, r, c.best); err != nil {
			return nil, err
		}
	}
	return c.best, nil
}

// SameTime is the relative difference of times that are the same except for rounding.
const SameTime = 1e-9

// atLast plans the ways that come after all others, unless their bounds say that they cannot be
// faster.
func (c *contest) atLast(ctx context.Context, ways []task) error {
	for i := range ways {
		t := &ways[i]
		if t.traits.Bound != nil && c.count > 1 {
			t.most = units.Time(math.Inf(1))
			if err := c.bound(ctx, t); err != nil {
				return err
			}
		}
		if c.best != nil && t.bound >= c.best.Cost.Total()*(1-SameTime) {
			continue
		}
		if err := c.inOrder(ctx, ways[i:i+1]); err != nil {
			return err
		}
	}
	return nil
}

// inOrder plans ways in the order of their bounds.
func (c *contest) inOrder(ctx context.Context, ways []task) error {
	for _, t := range ways {
		if c.lost(t.bound) { // and so have those after it
			if c.beyond == nil {
				c.beyond = c.request.Beyond(t.bound)
			}
			return nil
		}
		if c.best != nil && t.index > c.winner.index && t.bound >= c.best.Cost.Total()*(1-SameTime) {
			continue // as good at best, and later
		}
		if err := c.plan(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

// bounds returns what is known of a way.
func (c *contest) bounds(t task) Bounds { return Bounds{t.bound, t.most, c.lost(t.bound)} }

// task is a way to plan, with the bounds on its time.
type task struct {
	collective.Sized
	lay     func(ctx context.Context) (collective.Sized, error) // nil: it is laid out
	planner planner.Planner
	traits  planner.Traits // of the planner
	index   int
	bound   units.Time
	most    units.Time // an upper bound; +Inf if none is known
}

// lighter reports whether a way is planned sooner than another: it has no more transfers to route,
// in fewer steps. Each step may have its own circuits.
func (t *task) lighter(than *task) bool {
	return len(t.Steps) > 0 && len(t.Steps) < len(than.Steps) && t.transfers() <= than.transfers()
}

// transfers counts the transfers that the steps list.
func (t *task) transfers() int {
	sum := 0
	for i := range t.Steps {
		sum += len(t.Steps[i].Base)
	}
	return sum
}

// byBound sorts ways by their lower bounds.
func byBound(ways []task) {
	slices.SortStableFunc(ways, func(a, b task) int { return cmp.Compare(a.bound, b.bound) })
}

// contest keeps the best plan so far.
type contest struct {
	request planner.Request
	count   int // of ways
	done    int // ways that have been planned
	best    *plan.Plan
	winner  task       // the way of the best plan
	ceiling units.Time // the least upper bound of any way; 0: none is known
	reason  error      // why the first way without a plan has none
	beyond  error      // the error of the first way without a plan within the request's limit
}

// lost reports whether nothing with the given lower bound can win.
func (c *contest) lost(bound units.Time) bool {
	return c.best != nil && bound > c.best.Cost.Total()*(1+SameTime) || c.ceiling > 0 && planner.Above(bound, c.ceiling) ||
		c.request.Beyond(bound) != nil
}

// beats reports whether a plan is better than the best so far: faster, or as fast and of an
// earlier way.
func (c *contest) beats(time units.Time, index int) bool {
	best := c.best.Cost.Total()
	return time < best*(1-SameTime) || time <= best*(1+SameTime) && index < c.winner.index
}

// limit returns the time that a plan must not exceed; 0: none.
func (c *contest) limit() units.Time {
	limit := c.ceiling
	if c.best != nil && (limit == 0 || c.best.Cost.Total() < limit) {
		limit = c.best.Cost.Total()
	}
	return limit
}

// bound improves the lower bound of a way, unless the known bound says that it has lost.
func (c *contest) bound(ctx context.Context, t *task) error {
	if c.lost(t.bound) {
		return nil
	}
	r := c.request
	r.Collective, r.Size = t.Collective, t.Size
	if limit := c.limit(); limit > 0 && (r.Limit == 0 || limit < r.Limit) {
		r.Limit = limit
	}
	if t.traits.Bound == nil {
		t.bound = max(t.bound, bound.OfAlgorithm(&c.request.Fabric, t.Collective, t.Size).Schedule)
		if t.traits.Most == nil || len(t.Steps) == 0 || c.lost(t.bound) {
			return nil
		}
		most, err := t.traits.Most(ctx, r)
		if err != nil {
			return err
		}
		c.keeps(t, most)
		return nil
	}
	least, most, err := t.traits.Bound(ctx, r)
	switch {
	case errors.Is(err, planner.ErrInfeasible):
		return nil // planning it gives the reason
	case err != nil:
		return err
	}
	t.bound = max(t.bound, least)
	c.keeps(t, most)
	return nil
}

// keeps records the upper bound of a way.
func (c *contest) keeps(t *task, most units.Time) {
	t.most = most
	if !math.IsInf(float64(most), 1) && (c.ceiling == 0 || most < c.ceiling) {
		c.ceiling = most
	}
}

// plan plans one way and keeps its plan if it is better.
func (c *contest) plan(ctx context.Context, t task) error {
	if err := t.layOut(ctx); err != nil {
		return err
	}
	r := c.request
	// The contest compares plans and baselines itself.
	r.Collective, r.Size, r.Bare, r.Made = t.Collective, t.Size, true, nil
	if progress, done := r.Progress, c.done; progress != nil {
		r.Progress = func(part, total int) { progress(done*total+part, c.count*total) }
	}
	c.done++
	if limit := c.limit(); limit > 0 && (r.Limit == 0 || limit < r.Limit) {
		r.Limit = limit
	}
	p, err := t.planner.Plan(ctx, r)
	if err == nil && c.request.Made != nil {
		c.request.Made(p)
	}
	switch {
	case errors.Is(err, planner.ErrBeyond):
		if c.beyond == nil { // it has lost
			c.beyond = err
		}
	case errors.Is(err, planner.ErrInfeasible):
		if c.reason == nil {
			c.reason = err
		}
	case err != nil:
		return err
	case c.best == nil || c.beats(p.Cost.Total(), t.index):
		c.best, c.winner = p, t
		r.Say("%s with %s takes %v", p.Collective.Algorithm, p.Planner, p.Cost.Total())
		if r.Better != nil {
			r.Better(p)
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
	for _, p := range b {
		if b.covered(p.Name()) {
			if reason == nil {
				reason = errCovered
			}
			continue
		}
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
			if reason == nil || errors.Is(reason, errCovered) {
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
