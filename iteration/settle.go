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
// that a shorter one does, so the least is found from below, by tangents, and where there is none
// by halving.
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
	least := low // no period below it holds
	try := func(at units.Time) bool {
		h := d.holds(p, r, on, at)
		if h.ok {
			before, period, high = h.before, at, min(high, h.time)
		} else {
			least = max(at, d.tangent(p, r, on, at, &h))
		}
		return h.ok
	}
	switch {
	case try(low):
		low = high
	case limit < high && (least >= limit || !try(limit)):
		low = high
	}
	for i := 0; i < maxSteps && low < high*(1-closest); i++ {
		at := (low + high) / 2
		if low < least && least < high {
			at = least
		}
		if held := try(at); held && at == least {
			low = high
		} else if !held {
			low = at
		}
	}
	if before == nil {
		t, b = c.run(p, r, on, nil, 0)
		return c, t, b
	}
	t, b = d.run(p, r, on, before, period)
	return d, t, b
}

// holding is what is known of a period.
type holding struct {
	ok     bool
	before *board     // that the iteration before must have left, if it holds
	time   units.Time // that an iteration takes then
	rounds int        // after which the last job ends too late, if it does not; 0: none does so
	last   units.Time // that it ends then
	least  units.Time // no shorter period holds; 0: nothing is known
}

// holds reports whether iterations of a course can follow one another after a period.
func (c *Course) holds(p *Program, r *Repertoire, on *clock, period units.Time) holding {
	var h holding
	most := period * (1 + 1e-12)
	for i := range 2 + r.Lines.Count()*r.Lines.most() {
		_, b := c.run(p, r, on, h.before, period)
		if on.last > most {
			return holding{rounds: i + 1, last: on.last}
		}
		if wrap := b.wrap(); wrap <= most {
			h.ok, h.time = true, max(on.last, wrap)
			return h
		}
		if i >= 2 && i&(i-1) == 0 { // now and then
			if least := c.growth(p, r, on, period, h.before, b); least > 0 {
				return holding{least: least}
			}
		}
		h.before = b
	}
	return holding{}
}

// growth is a period below which none holds, found from one that does not; 0 if there is none. The
// boards are what two rounds leave, one after the other. What ends on lanes, and with circuits, is
// the maximum of sums of that in the iteration before: if an iteration in which only some of them
// count ends later on each of these than the one before, so does every other one after it.
func (c *Course) growth(p *Program, r *Repertoire, on *clock, period units.Time, earlier, later *board) units.Time {
	some := &board{lanes: slices.Clone(later.lanes), seats: slices.Clone(later.seats)}
	most := units.Time(0)
	some.each(earlier, func(now, before *units.Time) { most = max(most, *now-*before) })
	some.each(earlier, func(now, before *units.Time) {
		if *now-*before < most/2 {
			*now = never
		}
	})
	_, next := c.run(p, r, on, some, period)
	least := infinite
	next.each(some, func(now, before *units.Time) { least = min(least, *now-*before) })
	if math.IsInf(float64(least), 1) || least <= period*(closest/10) {
		return 0
	}
	return period + least
}

// each calls f with when everything ends that did something in an iteration, and in the one before.
func (b *board) each(before *board, f func(now, before *units.Time)) {
	for i := range b.lanes {
		if l := &before.lanes[i]; !l.untouched && l.last != never && !b.lanes[i].untouched {
			f(&b.lanes[i].last, &l.last)
		}
	}
	for i := range b.seats {
		if s := &before.seats[i]; s.left != never {
			f(&b.seats[i].left, &s.left)
		}
	}
}

// How far from a period the slope of a tangent is measured, and how close it must be to a whole
// number, both relative.
const nearby, whole = 1e-7, 1e-3

// tangent is a period below which none holds, found from one that does not; 0 if there is none.
// After a number of rounds, the last job ends at the maximum of sums, each less the period as often
// as its chain goes from one iteration to the next: how much too late that is falls with the period
// and is convex, and where a tangent reaches 0, it is still not below. Its slope is a whole number,
// unless another chain takes over nearby.
func (c *Course) tangent(p *Program, r *Repertoire, on *clock, period units.Time, h *holding) units.Time {
	if h.rounds == 0 {
		return h.least
	}
	next := period * (1 + nearby)
	var before *board
	for range h.rounds {
		_, before = c.run(p, r, on, before, next)
	}
	slope := float64(((h.last - period) - (on.last - next)) / (next - period))
	times := math.Round(slope)
	if times < 1 || math.Abs(slope-times) > whole {
		return 0
	}
	return period + (h.last-period)/units.Time(times)
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
