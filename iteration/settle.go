package iteration

import (
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/units"
)

// maxSettled is the number of jobs up to which every course is settled, and not only the best.
const maxSettled = 200

// The steps in which the shortest time of a course is found, and how close they come.
const (
	maxSteps = 60
	closest  = 1e-10
)

// settled returns the course with jobs that wait for the iteration before, where that makes
// iterations follow one another sooner than if each job is as early as it can be: a job that is
// ready when the iteration begins would have its circuits set up at the end of the one before, and
// so may make it longer, though nothing is lost if it begins later. Times of a course that is not
// below a limit may be longer.
//
// For a period, all starts are the least that no lane is used by two iterations at once with: what
// a lane does last, a period earlier, is over before it does the first. A longer period allows all
// that a shorter one does, so the least is found by halving.
func (c *Course) settled(p *Program, r *Repertoire, on *clock, limit units.Time) (*Course, *Timetable, *board) {
	t, b := c.run(p, r, on, nil, 0)
	low, high := on.last, t.Iteration
	if r.Cold || low >= high*(1-closest) || low >= limit {
		return c, t, b
	}
	d := c.explicit(p, r, b)
	if d == nil {
		return c, t, b
	}
	var before *board // that the shortest so far follows
	period := high
	try := func(at units.Time) bool {
		after, time, ok := d.holds(p, r, on, at)
		if ok {
			before, period, high = after, at, min(high, time)
		}
		return ok
	}
	switch {
	case try(low):
		low = high
	case limit < high && !try(limit):
		low = high
	}
	for i := 0; i < maxSteps && low < high*(1-closest); i++ {
		if mid := (low + high) / 2; !try(mid) {
			low = mid
		}
	}
	if before == nil {
		t, b = c.run(p, r, on, nil, 0)
		return c, t, b
	}
	t, b = d.run(p, r, on, before, period)
	return d, t, b
}

// holds reports whether iterations of a course can follow one another after a period, what the one
// before must have left for that, and how long an iteration takes then.
func (c *Course) holds(p *Program, r *Repertoire, on *clock, period units.Time) (before *board, time units.Time, ok bool) {
	most := period * (1 + 1e-12)
	for range 2 + r.Lines.Count()*r.Lines.most() {
		_, b := c.run(p, r, on, before, period)
		if on.last > most {
			return nil, 0, false
		}
		if wrap := b.wrap(); wrap <= most {
			return before, max(on.last, wrap), true
		}
		before = b
	}
	return nil, 0, false
}

// follow has nothing begin on lanes before what they did a period earlier is over.
func (b *board) follow(before *board, period units.Time) {
	for i := range b.lanes {
		if l := &before.lanes[i]; !l.untouched {
			b.lanes[i].opens = l.last - period
		}
	}
	for i := range b.seats {
		b.seats[i].opens = before.seats[i].left - period
	}
}

// explicit returns the course in which circuits are set up before their first use that were up
// before the iteration, and would be set up again at its end; nil if it is not known for which use.
func (c *Course) explicit(p *Program, r *Repertoire, b *board) *Course {
	d := c.clone()
	for i, lanes := range c.Initial {
		if lanes == nil || slices.Equal(lanes, b.seats[i].lanes) {
			continue
		}
		k := slices.IndexFunc(d.Moves, func(m Move) bool {
			o := &r.Offers[p.Jobs[m.Job].Work][m.Offer]
			return o.First == i || o.Last == i
		})
		if k < 0 || d.Moves[k].Take != nil || r.Offers[p.Jobs[d.Moves[k].Job].Work][d.Moves[k].Offer].First != i {
			return nil
		}
		d.Moves[k].Take, d.Initial[i] = lanes, nil
	}
	return d
}

// infinite is longer than anything takes.
var infinite = units.Time(math.Inf(1))
