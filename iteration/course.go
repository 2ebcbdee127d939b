package iteration

import (
	"slices"
	"sync"

	"github.com/lightpath-net/lightpath/units"
)

// Course is what is decided of an iteration: it takes no times.
type Course struct {
	Policy  string
	Initial [][]Lane // where circuits are that are up before it, by circuits
	Moves   []Move   // communications, each after those that it waits for
	Ahead   bool     // ports are rewired as soon as they are free
}

// Move is how one job communicates.
type Move struct {
	Job, Offer int
	Take       []Lane // that its circuits are set up on before it; nil: they are up
}

// Entry is when a job takes place.
type Entry struct {
	Start, End units.Time
	Offer      int // of its work; -1: it does not communicate
}

// Change is a change of circuits before a job.
type Change struct {
	Job        int
	Circuits   int
	Lanes      []Lane
	Start, End units.Time
	// Exposed is how much later the job starts for it; at the end, how much longer the iteration
	// takes than without all such changes.
	Exposed units.Time
}

// Timetable is when everything of a course happens.
type Timetable struct {
	Iteration units.Time
	Entries   []Entry // by job
	Changes   []Change
	Within    int // changes within collectives
}

// Time says when everything happens in the order of the moves, and how long an iteration takes if
// each begins with the circuits that the one before has left. A lane is then at rest from its last
// use to its first one in the next iteration. It takes longer, or as long, for a longer delay and
// for offers that take longer.
//
// Each job is as early as that allows, unless iterations could then follow one another only later
// than if some of them wait: see settled.
//
// Circuits that are up before the iteration and not up at the same place after it are set up again
// at its end.
func (c *Course) Time(p *Program, r *Repertoire) *Timetable {
	_, t, _ := c.settled(p, r, &clock{}, infinite)
	return t
}

// length is how long an iteration takes: of a large program with all jobs as early as they can be.
func (c *Course) length(p *Program, r *Repertoire) units.Time {
	return c.lengthBelow(p, r, infinite)
}

// lengthBelow is length, but may be longer if that is not below a limit.
func (c *Course) lengthBelow(p *Program, r *Repertoire, limit units.Time) units.Time {
	on := clocks.Get().(*clock)
	defer clocks.Put(on)
	if len(p.Jobs) > maxSettled {
		t, _ := c.run(p, r, on, nil, 0)
		return t.Iteration
	}
	_, t, _ := c.settled(p, r, on, limit)
	return t.Iteration
}

// clock is what one run needs and the next one uses again.
type clock struct {
	Timetable
	done []bool     // by job
	last units.Time // that a job ends
}

// clocks are those that nobody uses.
var clocks = sync.Pool{New: func() any { return &clock{} }}

// reset has a clock begin with nothing done of so many jobs.
func (k *clock) reset(jobs int) {
	if cap(k.done) < jobs {
		k.done, k.Entries = make([]bool, jobs), make([]Entry, jobs)
	}
	k.done, k.Entries = k.done[:jobs], k.Entries[:jobs]
	clear(k.done)
	clear(k.Entries)
	k.Iteration, k.Changes, k.Within = 0, k.Changes[:0], 0
}

// run has each job take place as early as it can, by a clock, which has the timetable, and returns
// how the lanes are left. Nothing begins on a lane that is not done with the iteration before, as
// that left them, a period earlier; nil: that is over in time.
func (c *Course) run(p *Program, r *Repertoire, on *clock, before *board, period units.Time) (*Timetable, *board) {
	b := newBoard(r)
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
	next := 0 // move
	ready := func(j int) units.Time {
		at := units.Time(0)
		for _, before := range p.Jobs[j].After {
			at = max(at, t.Entries[before].End)
		}
		return at
	}
	// computeBefore enters the computations that a job waits for.
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
		unchanged := at
		for _, k := range o.Islands {
			unchanged = max(unchanged, b.islands[k])
		}
		start, set := b.begin(o, at, m.Take, c.Ahead)
		run := span{start, start + o.Time}
		if m.Take != nil {
			unchanged = max(unchanged, b.seats[o.First].left)
			for _, l := range m.Take {
				unchanged = max(unchanged, b.at(l).free)
			}
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

// wrap is the least time of an iteration in which every lane has ended what it does before it does
// the first of it again, and all circuits are out of use before they are set up again.
func (b *board) wrap() units.Time {
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

// close ends an iteration so that the next one can begin: lanes have ended what they do, and what
// was up at the beginning and is used before it is set up is set up again. Nothing follows a cold
// one.
func (c *Course) close(b *board, t *Timetable) {
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

// inSequence is the course that carries a program out as the fastest plan for its sequence does;
// nil if there is none.
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

// firstLanes are the first of the lines that circuits claim.
func (r *Repertoire) firstLanes(circuits int) []Lane {
	var list []Lane
	for _, claim := range r.Circuits[circuits].Claims {
		for i := range claim.Lanes {
			list = append(list, Lane{claim.Line, i})
		}
	}
	return list
}
