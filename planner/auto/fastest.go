package auto

import (
	"context"
	"errors"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

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
// rounding, that of the first way. It is a contest with one cell. A costly bound is not computed
// if a simple one is enough, and every planner gets the time of the best plan so far as its limit.
func FastestOf(ctx context.Context, r planner.Request, ways []Way) (*plan.Plan, error) {
	o := one{request: r, count: len(ways)}
	all := make([]*task, len(ways))
	for i, w := range ways {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		t := &task{one: &o, planner: w.Planner, traits: planner.TraitsOf(w.Planner), index: i, most: inf}
		all[i] = t
		if w.Outline != nil && !t.traits.Last {
			t.lay, t.turn, t.bound = w.Lay, Outlined, outlined(&t.traits, &r.Fabric, w.Outline)
			continue
		}
		var err error
		if t.Sized, err = w.Lay(ctx); err != nil {
			return nil, err
		}
		if t.turn = TurnOf(&t.traits, len(t.Steps) > 0); t.turn == ByBound && o.count > 1 {
			t.bound = bound.PerStep(&r.Fabric, t.Collective, t.Size)
		}
	}
	c := NewContest(1, SameTime, r.Limit)
	if err := Run(ctx, c, all); err != nil {
		return nil, err
	}
	switch {
	case o.best == nil && c.Beyond() != nil:
		return nil, c.Beyond()
	case o.best == nil:
		return nil, c.Reason()
	}
	if compare := o.winner.traits.Compare; compare != nil && !r.Bare {
		r.Collective, r.Size = o.winner.Collective, o.winner.Size
		r.Progress, r.Status = nil, nil
		if err := compare(ctx, r, o.best); err != nil {
			return nil, err
		}
	}
	return o.best, nil
}

// TurnOf says when a planner is tried for steps that are given, or for an operation whose steps it
// makes itself.
func TurnOf(t *planner.Traits, steps bool) Turn {
	switch {
	case t.Last:
		return Last
	case t.Bound != nil || steps:
		return ByBound
	case t.Partly:
		return Partly
	}
	return First
}

// one is a contest for one request.
type one struct {
	request planner.Request
	count   int // of ways
	done    int // ways that have been planned
	best    *plan.Plan
	winner  *task // the way of the best plan
}

// task is a way to plan one request, with the bounds on its time.
type task struct {
	collective.Sized
	*one
	lay     func(ctx context.Context) (collective.Sized, error) // nil: it is laid out
	planner planner.Planner
	traits  planner.Traits // of the planner
	turn    Turn
	index   int
	bound   units.Time
	most    units.Time // an upper bound; +Inf if none is known
}

// Turn implements Entrant.
func (t *task) Turn() Turn { return t.turn }

// Index implements Entrant.
func (t *task) Index() int { return t.index }

// Bounds implements Entrant.
func (t *task) Bounds(int) (least, most units.Time) { return t.bound, t.most }

// Lighter implements Entrant: t has no more transfers to route, in fewer steps. Each step may have
// its own circuits.
func (t *task) Lighter(than *task) bool {
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

// outlined returns a lower bound on the time of a way that is not laid out. A planner that
// reconfigures before every step sends everything directly, so it has at least one set of
// circuits for each of the fewest steps.
func outlined(t *planner.Traits, f *fabric.Fabric, o *bound.Outline) units.Time {
	least := o.PerStep(f)
	if t.Baseline == plan.EveryStep && f.Fixed.IsZero() {
		least += units.Time(o.Steps-1) * f.LeastWait()
	}
	return least
}

// LayOut implements Entrant.
func (t *task) LayOut(ctx context.Context) error {
	if t.lay == nil {
		return nil
	}
	made, err := t.lay(ctx)
	if err == nil {
		t.Sized, t.lay = made, nil
	}
	return err
}

// Bound implements Entrant.
func (t *task) Bound(ctx context.Context, c *Contest) error {
	if t.turn == Outlined {
		t.bound = max(t.bound, bound.PerStep(&t.request.Fabric, t.Collective, t.Size))
		if c.LostAt(0, t.bound) {
			return nil
		}
	}
	r := t.asked(c)
	if t.traits.Bound == nil {
		if t.turn == Last {
			return nil
		}
		t.bound = max(t.bound, bound.OfAlgorithm(&r.Fabric, t.Collective, t.Size).Schedule)
		if t.traits.Most == nil || len(t.Steps) == 0 || c.LostAt(0, t.bound) {
			return nil
		}
		most, err := t.traits.Most(ctx, r)
		if err != nil {
			return err
		}
		t.keep(c, most)
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
	t.keep(c, most)
	return nil
}

// keep records the upper bound of a way.
func (t *task) keep(c *Contest, most units.Time) {
	t.most = most
	c.Ceil(0, most)
}

// asked returns the request to the way's planner.
func (t *task) asked(c *Contest) planner.Request {
	r := t.request
	r.Collective, r.Size, r.Limit = t.Collective, t.Size, c.Limit(0)
	return r
}

// Plan implements Entrant.
func (t *task) Plan(ctx context.Context, c *Contest) error {
	if err := t.LayOut(ctx); err != nil {
		return err
	}
	o, r := t.one, t.asked(c)
	r.Bare, r.Made = true, nil // the contest compares plans and baselines itself
	if progress, done := r.Progress, o.done; progress != nil {
		r.Progress = func(part, total int) { progress(done*total+part, o.count*total) }
	}
	o.done++
	p, err := t.planner.Plan(ctx, r)
	if err != nil {
		return err
	}
	if o.request.Made != nil {
		o.request.Made(p)
	}
	if c.Offer(0, t.index, p.Cost.Total()) {
		o.best, o.winner = p, t
		r.Say("%s with %s takes %v", p.Collective.Algorithm, p.Planner, p.Cost.Total())
		if r.Better != nil {
			r.Better(p)
		}
	}
	return nil
}
