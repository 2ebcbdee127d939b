package iteration

import (
	"slices"
	"sync"

	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/units"
)

// Course is what is decided about an iteration, without times.
type Course struct {
	Policy  string
	Initial [][]Lane // where circuits are up before it, by circuits
	Moves   []Move   // communications, each after those it waits for
	Ahead   bool     // ports are rewired as soon as they are free
}

// Move says how one job communicates.
type Move struct {
	Job, Offer int
	Take       []Lane // where its circuits are set up before it; nil: they are up
}

// Entry says when a job takes place.
type Entry struct {
	Start, End units.Time
	Offer      int // of its work; -1: no communication
}

// Change is a change of circuits before a job.
type Change struct {
	Job        int
	Circuits   int
	Lanes      []Lane
	Start, End units.Time
	// Exposed is how much later the job starts because of it; at the end, how much longer the
	// iteration takes than without all changes there.
	Exposed units.Time
}

// Timetable has the times of everything in a course.
type Timetable struct {
	Iteration units.Time
	Entries   []Entry // by job
	Changes   []Change
	Within    int // changes within collectives
}

// Time computes when everything happens in the order of the moves, and how long an iteration
// takes if each begins with the circuits that the previous one has left. A lane then rests from
// its last use to its first use in the next iteration. The result is never shorter for a longer
// delay, or for offers that take longer.
//
// Each job is as early as that allows, unless iterations could follow one another sooner if
// some jobs wait: see shortened.
//
// Circuits that are up before the iteration but not in the same place after it are set up again
// at its end.
func (c *Course) Time(p *Program, r *Repertoire) *Timetable {
	_, t, _ := c.shortened(p, r, &clock{}, infinite)
	return t
}

// length returns how long an iteration takes; in a large program with all jobs as early as
// possible.
func (c *Course) length(p *Program, r *Repertoire) units.Time {
	return c.lengthBelow(p, r, infinite)
}

// lengthBelow is length, but its result may be too long if it is not below a limit.
func (c *Course) lengthBelow(p *Program, r *Repertoire, limit units.Time) units.Time {
	on := clocks.Get().(*clock)
	defer clocks.Put(on)
	if len(p.Jobs) > mostShortened {
		t, _ := c.run(p, r, on, nil, 0)
		return t.Iteration
	}
	_, t, _ := c.shortened(p, r, on, limit)
	return t.Iteration
}

// clock is the working memory of a run, for reuse by the next.
type clock struct {
	Timetable
	done []bool     // by job
	last units.Time // end of the last job
}

// clocks are the unused ones.
var clocks = sync.Pool{New: func() any { return &clock{} }}

// reset prepares a clock for the given number of jobs, none of them done.
func (k *clock) reset(jobs int) {
	if cap(k.done) < jobs {
		k.done, k.Entries = make([]bool, jobs), make([]Entry, jobs)
	}
	k.done, k.Entries = k.done[:jobs], k.Entries[:jobs]
	clear(k.done)
	clear(k.Entries)
	k.Iteration, k.Changes, k.Within = 0, k.Changes[:0], 0
}

// run schedules each job as early as possible, on a clock, which then has the timetable, and
// returns the state of the lanes at the end. Nothing begins on a lane that has not finished the
// previous iteration. before is the state at the end of that, a period earlier; nil: it is over
// in time.
func (c *Course) run(p *Program, r *Repertoire, on *clock, before *occupancy, period units.Time) (*Timetable, *occupancy) {
	b := newOccupancy(r)
	if before != nil {
		b.follow(before, period)
	}
	for i, lanes := range c.Initial {
		if lanes != nil {
			b.sit(i, lanes)
		}
	}
	on.reset(len(p.Jobs))
	t, done := &on.Timetable, on.done
	next := 0 // the next move
	ready := func(j int) units.Time {
		return each.Max(units.Time(0), p.Jobs[j].After, func(before int) units.Time {
			return t.Entries[before].End
		})
	}
	// computeBefore schedules the computations that a job waits for.
	var compute func(j int)
	compute = func(j int) {
		for _, before := range p.Jobs[j].After {
			if !done[before] {
				compute(before)
			}
		}
		if p.Jobs[j].Work == Computes && !done[j] {
			start := ready(j)
			t.Entries[j] = Entry{start, start + p.Jobs[j].Compute, -1}
		}
		done[j] = true
	}
	for ; next < len(c.Moves); next++ {
		m := &c.Moves[next]
		compute(m.Job)
		o := &r.Offers[p.Jobs[m.Job].Work][m.Offer]
		at := ready(m.Job)
		unchanged := each.Max(at, o.Islands, func(k int) units.Time { return b.islands[k] })
		start, set := b.begin(o, at, m.Take, c.Ahead)
		run := span{start, start + o.Time}
		if m.Take != nil {
			unchanged = max(unchanged, b.seats[o.First].left)
			unchanged = each.Max(unchanged, m.Take, func(l Lane) units.Time { return b.at(l).free })
			t.Changes = append(t.Changes, Change{m.Job, o.First, m.Take, set.start, set.end, start - unchanged})
		}
		t.Within += o.Changes
		b.do(o, m.Take, set, run)
		t.Entries[m.Job], done[m.Job] = Entry{run.start, run.end, m.Offer}, true
	}
	for j := range p.Jobs {
		if !done[j] {
			compute(j)
		}
		t.Iteration = max(t.Iteration, t.Entries[j].End)
	}
	on.last = t.Iteration
	c.close(b, t)
	return t, b
}

// wrap returns the least time of an iteration for which every lane has finished before its
// first use in the next one, and all circuits are out of use before they are set up again.
func (b *occupancy) wrap() units.Time {
	least := units.Time(0)
	for i := range b.lanes {
		if l := &b.lanes[i]; !l.untouched {
			least = max(least, l.last-l.first)
		}
	}
	for i := range b.seats {
		least = later(least, b.seats[i].left-b.seats[i].first)
	}
	return least
}

// close ends an iteration so that the next one can begin: lanes have finished, and circuits
// that were up at the beginning and are used before they are set up are set up again. Nothing
// follows a cold iteration.
func (c *Course) close(b *occupancy, t *Timetable) {
	if b.of.Cold {
		return
	}
	t.Iteration = max(t.Iteration, b.wrap())
	open := t.Iteration
	for i, lanes := range c.Initial {
		if lanes == nil || slices.Equal(lanes, b.seats[i].lanes) {
			continue
		}
		last, first := b.lasts(lanes), b.begins(lanes)
		if last == never {
			continue
		}
		last = max(last, b.seats[i].left) // they may be in use elsewhere until then
		least := last + b.of.Delay - first
		t.Iteration = max(t.Iteration, least)
		t.Changes = append(t.Changes, Change{Job: -1, Circuits: i, Lanes: lanes, Start: last, End: last + b.of.Delay, Exposed: max(0, least-open)})
	}
}

// inSequence returns the course of the fastest plan for the program as a sequence; nil if there
// is none.
func (r *Repertoire) inSequence(p *Program) *Course {
	if r.sequence == nil {
		return nil
	}
	c := &Course{Policy: Best, Ahead: true, Initial: make([][]Lane, len(r.Circuits))}
	up := NoCircuits
	for i, j := range p.sequence() {
		w := p.Jobs[j].Work
		o := &r.sequence[i]
		m := Move{Job: j, Offer: slices.IndexFunc(r.Offers[w], func(other Offer) bool { return other.Plan == o.Plan })}
		if m.Offer < 0 {
			return nil
		}
		lanes := r.firstLanes(o.First)
		switch {
		case i == 0 && !r.Cold:
			c.Initial[o.First] = lanes
		case o.First != up:
			m.Take = lanes
		}
		c.Moves, up = append(c.Moves, m), o.Last
	}
	return c
}

// firstLanes returns the first lanes of the lines that circuits claim.
func (r *Repertoire) firstLanes(circuits int) []Lane {
	var list []Lane
	for _, claim := range r.Circuits[circuits].Claims {
		for i := range claim.Lanes {
			list = append(list, Lane{claim.Line, i})
		}
	}
	return list
}
