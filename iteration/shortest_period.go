package iteration

import (
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/units"
)

// mostShortened is the largest number of jobs for which every course is shortened, not only the
// best.
const mostShortened = 200

// These limit the steps in which the shortest time of a course is found, and their precision.
const (
	maxSteps = 60
	closest  = 1e-10
)

// shortened returns the course in the shortest period in which its iterations can follow one
// another. Some jobs then wait, although the iteration before would let them begin sooner: a job
// that is ready when the iteration begins has its circuits set up at the end of the iteration
// before, which may become longer, while nothing is lost if the job begins later. The times of a
// course that is not below a limit may be too long.
//
// For a given period, all starts are the earliest for which no lane is used by two iterations
// at once: a lane's last use, a period earlier, is over before its first. A longer period
// allows everything that a shorter one does. So the least period is found from below by
// tangents, and by bisection if there are none.
func (c *Course) shortened(p *Program, r *Repertoire, on *clock, limit units.Time) (*Course, *Timetable, *occupancy) {
	t, b := c.run(p, r, on, nil, 0)
	low, high := on.last, t.Iteration
	if r.Cold || low >= high*(1-closest) || low >= limit {
		return c, t, b
	}
	d := c.explicit(p, r, b)
	if d == nil {
		return c, t, b
	}
	var before *occupancy // state that the shortest period so far follows
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

// holding is what is known about a period.
type holding struct {
	ok     bool
	before *occupancy // state of the previous iteration, if the period holds
	time   units.Time // of an iteration in that case
	rounds int        // after which a period that does not hold ends too late; 0: never
	last   units.Time // end of the last job in that case
	least  units.Time // no shorter period holds; 0: unknown
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
		if i >= 2 && i&(i-1) == 0 { // from time to time
			if least := c.growth(p, r, on, period, h.before, b); least > 0 {
				return holding{least: least}
			}
		}
		h.before = b
	}
	return holding{}
}

// growth returns a period below which none holds, given one that does not hold; 0 if it finds
// none. The occupancies are those after two consecutive rounds. What ends on lanes, and with
// circuits, is the maximum of sums of the ends in the previous iteration. Run an iteration in
// which only some of those count: if it ends later on each of these than the previous one, so
// does every iteration after it.
func (c *Course) growth(p *Program, r *Repertoire, on *clock, period units.Time, earlier, later *occupancy) units.Time {
	some := &occupancy{lanes: slices.Clone(later.lanes), seats: slices.Clone(later.seats)}
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

// each calls f with the ends of everything that was used in an iteration, and in the previous
// one.
func (b *occupancy) each(before *occupancy, f func(now, before *units.Time)) {
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

// These are how far from a period the slope of a tangent is measured, and how close it must be
// to an integer, both relative.
const nearby, whole = 1e-7, 1e-3

// tangent returns a period below which none holds, given one that does not hold; 0 if it finds
// none. After a number of rounds, the last job ends at the maximum of sums, each less the
// period as often as its chain goes from one iteration to the next. So how much too late the
// job ends is a falling, convex function of the period, and where its tangent reaches 0, the
// function is still not below 0. The slope is an integer, unless another chain takes over
// nearby.
func (c *Course) tangent(p *Program, r *Repertoire, on *clock, period units.Time, h *holding) units.Time {
	if h.rounds == 0 {
		return h.least
	}
	next := period * (1 + nearby)
	var before *occupancy
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

// follow prevents use of lanes before their uses a period earlier are over.
func (b *occupancy) follow(before *occupancy, period units.Time) {
	for i := range b.lanes {
		if l := &before.lanes[i]; !l.untouched {
			b.lanes[i].opens = l.last - period
		}
	}
	for i := range b.seats {
		b.seats[i].opens = before.seats[i].left - period
	}
}

// explicit returns the course that sets circuits up before their first use if they were up
// before the iteration and would be set up again at its end; nil if that first use is not
// known.
func (c *Course) explicit(p *Program, r *Repertoire, b *occupancy) *Course {
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

// infinite is longer than any time.
var infinite = units.Time(math.Inf(1))
