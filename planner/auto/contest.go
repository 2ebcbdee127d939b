package auto

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/internal/threads"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// This file is the only place that says in which order ways to plan are tried, which of them are
// given up, and which one wins. FastestOf plans one request with it, and package column many that
// differ only in the delay.

// SameTime is the relative difference of times that are the same except for rounding.
const SameTime = 1e-9

// Turn says when a way is tried.
type Turn int

const (
	// First are planners that make their own steps and bound no time: they are quick and good. The
	// last listed comes first.
	First Turn = iota
	// Partly are those of them that leave part of the fabric unused (planner.Traits.Partly).
	Partly
	// ByBound are ways that are tried in the order of their lower bounds. The way with the least
	// certain upper bound comes before them, unless the first of them is planned sooner.
	ByBound
	// Outlined are ways ByBound whose steps take long to lay out. They are bounded after all others,
	// and laid out only if they can still win.
	Outlined
	// Late are ways for which planning within a limit is as quick as bounding their time.
	Late
	// Last are planners that ask others for plans of other operations (planner.Traits.Last). They
	// are asked only if their bounds say that they may be faster than all others.
	Last
)

// Entrant is a way to plan that takes part in a contest.
type Entrant[E any] interface {
	Turn() Turn
	// Index is the position in the list of ways. Of equally fast plans, that of the first way wins.
	Index() int
	// Bounds returns what is known of the time in a cell: a lower bound, 0 if there is none, and an
	// upper one, +Inf if none is certain.
	Bounds(cell int) (least, most units.Time)
	// Bound improves the bounds. It tells the contest of upper ones (Contest.Ceil).
	Bound(ctx context.Context, c *Contest) error
	// Lighter reports whether the way is planned sooner than another.
	Lighter(than E) bool
	// LayOut lays out steps that take long to lay out.
	LayOut(ctx context.Context) error
	// Plan plans and offers the times to the contest (Contest.Offer).
	Plan(ctx context.Context, c *Contest) error
}

// Contest is a contest for the fastest plans of one or more cells: requests that differ only in
// the delay. NewContest makes one, and Run lets ways compete.
type Contest struct {
	cells []standing
	same  units.Time // the relative difference up to which times are equal
	limit units.Time // that no plan may exceed; 0: none

	reason error // why the first way without a plan has none
	beyond error // the error of the first way without a plan within the limit
}

// standing is what is known of a cell.
type standing struct {
	best    units.Time // +Inf: there is no plan yet
	winner  int        // the way of the best plan
	ceiling units.Time // the least upper bound of any way; +Inf: none is known
}

var inf = units.Time(math.Inf(1))

// NewContest returns a contest in which times are equal that differ by no more than same,
// relatively. No plan may exceed the limit; 0 is no limit.
func NewContest(cells int, same, limit units.Time) *Contest {
	c := &Contest{cells: make([]standing, cells), same: same, limit: limit}
	for i := range c.cells {
		c.cells[i] = standing{best: inf, ceiling: inf}
	}
	return c
}

// Known begins a cell with a plan that comes before those of all ways.
func (c *Contest) Known(cell int, time units.Time) {
	c.cells[cell].best, c.cells[cell].winner = time, -1
}

// Offer takes the time of a way's plan and reports whether it is the best so far: faster, or as
// fast and of an earlier way.
func (c *Contest) Offer(cell, index int, time units.Time) bool {
	s := &c.cells[cell]
	if time < s.best*(1-c.same) || time <= s.best*(1+c.same) && index < s.winner {
		s.best, s.winner = time, index
		return true
	}
	return false
}

// Ceil says that some way certainly takes no longer than most.
func (c *Contest) Ceil(cell int, most units.Time) {
	c.cells[cell].ceiling = min(c.cells[cell].ceiling, most)
}

// Ceiling returns a time that some way certainly does not exceed; +Inf if none is known.
func (c *Contest) Ceiling(cell int) units.Time { return c.cells[cell].ceiling }

// Limit returns the time that a plan must not exceed to win; 0: none.
func (c *Contest) Limit(cell int) units.Time {
	s := &c.cells[cell]
	if least := min(s.best, s.ceiling); least > 0 && least < inf && (c.limit == 0 || least < c.limit) {
		return least
	}
	return c.limit
}

// ToBeat returns the time below which a plan of a way wins: a little above the best time of a
// later way, and a little below that of an earlier one. It is +Inf if there is no plan yet.
func (c *Contest) ToBeat(cell, index int) units.Time {
	s := &c.cells[cell]
	if s.winner < index {
		return s.best * (1 - c.same)
	}
	return s.best * (1 + 2*c.same)
}

// LostAt reports whether nothing with the given lower bound can win a cell.
func (c *Contest) LostAt(cell int, least units.Time) bool {
	s := &c.cells[cell]
	return least > s.best*(1+c.same) || planner.Above(least, s.ceiling) || c.limit > 0 && planner.Above(least, c.limit)
}

// everywhere reports whether something holds for an entrant's lower bound in every cell.
func everywhere[E Entrant[E]](c *Contest, e E, holds func(cell int, least units.Time) bool) bool {
	for i := range c.cells {
		if least, _ := e.Bounds(i); !holds(i, least) {
			return false
		}
	}
	return true
}

// lost reports whether a way cannot win any cell.
func lost[E Entrant[E]](c *Contest, e E) bool { return everywhere(c, e, c.LostAt) }

// Run lets ways compete. Ways that cannot win are given up, and planners learn the best times so
// far. The error is that of a way, other than having no plan.
func Run[E Entrant[E]](ctx context.Context, c *Contest, ways []E) error {
	of := map[Turn][]E{}
	for _, e := range ways {
		of[e.Turn()] = append(of[e.Turn()], e)
	}
	slices.Reverse(of[First])
	slices.Reverse(of[Partly])
	for _, e := range append(of[First], of[Partly]...) {
		if err := c.plan(ctx, e.Plan); err != nil {
			return err
		}
	}
	open, outlined := of[ByBound], of[Outlined]
	if len(ways) > 1 { // a single way needs no bound
		var err error
		if open, err = ordered(ctx, c, open, outlined); err != nil {
			return err
		}
		outlined = nil
	}
	open = slices.Concat(open, outlined, of[Late])
	if err := inOrder(ctx, c, open); err != nil {
		return err
	}
	if c.unceiled() {
		if err := inOrder(ctx, c, open); err != nil {
			return err
		}
	}
	return atLast(ctx, c, of[Last], len(ways) > 1)
}

// ordered returns the ways that are tried by their bounds, in that order. It has already planned
// one if that is sure to be good.
func ordered[E Entrant[E]](ctx context.Context, c *Contest, ways, outlined []E) ([]E, error) {
	bounds := func(e E) Bounds {
		least, most := e.Bounds(len(c.cells) / 2)
		return Bounds{least, most, most < inf && lost(c, e)}
	}
	Order(ways, bounds) // what the first may take says enough about the others
	for _, e := range ways {
		if err := closer(ctx, c, e); err != nil {
			return nil, err
		}
	}
	laid := slices.DeleteFunc(slices.Clone(outlined), func(e E) bool { return lost(c, e) })
	errs := make([]error, len(laid))
	threads.Each(ctx, len(laid), func(i int) { errs[i] = laid[i].LayOut(ctx) })
	for i, e := range laid {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if errs[i] != nil {
			return nil, errs[i]
		}
		if err := closer(ctx, c, e); err != nil {
			return nil, err
		}
	}
	ways = append(ways, outlined...)
	if !Order(ways, bounds) {
		return ways, nil
	}
	if len(ways) > 1 && ways[1].Lighter(ways[0]) {
		// The upper bound of the sure way is known.
		Order(ways, func(e E) Bounds { return Bounds{Least: bounds(e).Least, Most: inf} })
		return ways, nil
	}
	return ways[1:], c.plan(ctx, ways[0].Plan)
}

// closer improves the bounds of a way, unless the known ones say that it has lost.
func closer[E Entrant[E]](ctx context.Context, c *Contest, e E) error {
	if err := ctx.Err(); err != nil || lost(c, e) {
		return err
	}
	return e.Bound(ctx, c)
}

// inOrder plans ways, except those that can at best equal the plan of an earlier way.
func inOrder[E Entrant[E]](ctx context.Context, c *Contest, ways []E) error {
	for _, e := range ways {
		if lost(c, e) {
			if c.beyond == nil && c.limit > 0 {
				least, _ := e.Bounds(0)
				c.beyond = (&planner.Request{Limit: c.limit}).Beyond(least)
			}
			continue
		}
		if everywhere(c, e, func(cell int, least units.Time) bool {
			return c.LostAt(cell, least) || e.Index() > c.cells[cell].winner && c.equals(cell, least)
		}) {
			continue
		}
		if err := c.plan(ctx, e.Plan); err != nil {
			return err
		}
	}
	return nil
}

// equals reports whether a time at best equals the best of a cell.
func (c *Contest) equals(cell int, least units.Time) bool {
	return least >= c.cells[cell].best*(1-c.same)
}

// atLast plans the ways that come after all others, unless their bounds say that they cannot be
// faster.
func atLast[E Entrant[E]](ctx context.Context, c *Contest, ways []E, compared bool) error {
	for i, e := range ways {
		if compared {
			if err := closer(ctx, c, e); err != nil {
				return err
			}
		}
		if everywhere(c, e, c.equals) {
			continue
		}
		if err := inOrder(ctx, c, ways[i:i+1]); err != nil {
			return err
		}
	}
	return nil
}

// unceiled forgets the ceilings of cells without a plan, in case rounding has put them too low. It
// reports whether there are any.
func (c *Contest) unceiled() bool {
	any := false
	for i := range c.cells {
		if s := &c.cells[i]; math.IsInf(float64(s.best), 1) && s.ceiling < inf && (c.limit == 0 || s.ceiling < c.limit) {
			s.ceiling, c.beyond, any = inf, nil, true
		}
	}
	return any
}

// plan lets a way plan.
func (c *Contest) plan(ctx context.Context, way func(context.Context, *Contest) error) error {
	err := way(ctx, c)
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
	}
	return nil
}

// Beyond returns the error of the first way without a plan within the limit, nil if there is none.
func (c *Contest) Beyond() error { return c.beyond }

// Reason returns why the first way without a plan has none.
func (c *Contest) Reason() error { return c.reason }
