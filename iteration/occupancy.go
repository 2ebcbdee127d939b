package iteration

import (
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/units"
)

// never is before all times.
var never = units.Time(math.Inf(-1))

// Lane is a lane of a line.
type Lane struct{ Line, Lane int }

// seat says where circuits are.
type seat struct {
	lanes []Lane // nil: they are down
	since units.Time
	left  units.Time // end of their last use or change: they are up in only one place at a time
	opens units.Time // when their use in the previous iteration has ended
	first units.Time // when the first change that sets them up begins; infinite: there is none
}

// lane is the state of a lane.
type lane struct {
	circuits    int        // the last circuits on it, or NoCircuits
	free        units.Time // end of its last use or change
	first, last units.Time // begin of its first use, and end of its last
	opens       units.Time // when its use in the previous iteration has ended
	untouched   bool
}

// occupancy is the state of all lanes and circuits.
type occupancy struct {
	of      *Repertoire
	stride  int    // distance between lines in lanes
	lanes   []lane // by line and number
	seats   []seat // by circuits
	islands []units.Time
}

func newOccupancy(r *Repertoire) *occupancy {
	b := &occupancy{of: r, stride: r.Lines.most(), lanes: make([]lane, r.Lines.Count()*r.Lines.most()), seats: make([]seat, len(r.Circuits)), islands: make([]units.Time, r.Classes)}
	free := never
	if r.Cold {
		free = 0
	}
	for i := range b.seats {
		b.seats[i].left, b.seats[i].opens, b.seats[i].first = never, never, infinite
	}
	for i := range b.lanes {
		b.lanes[i] = lane{circuits: NoCircuits, free: free, opens: never, untouched: true}
	}
	return b
}

// sit puts circuits on lanes before the beginning.
func (b *occupancy) sit(circuits int, lanes []Lane) {
	b.seats[circuits] = seat{lanes, never, never, b.seats[circuits].opens, infinite}
	for _, l := range lanes {
		b.at(l).circuits = circuits
	}
}

func (b *occupancy) at(l Lane) *lane { return &b.lanes[l.Line*b.stride+l.Lane] }

// up reports whether circuits are up.
func (b *occupancy) up(circuits int) bool { return b.seats[circuits].lanes != nil }

// owner returns the circuits that are up on a lane, NoCircuits if there are none.
func (b *occupancy) owner(l *lane) int {
	if l.circuits == NoCircuits || !b.up(l.circuits) {
		return NoCircuits
	}
	return l.circuits
}

// span is the time of something.
type span struct{ start, end units.Time }

// begin returns when an offer can begin for a job that becomes ready at the given time, and
// when its circuits are set up on the lanes in take, which is nil if they are up. A change
// begins when the lanes are free or, unless ahead is set, only when the job is ready. Lanes
// that have not been used yet are changed just in time, at the end of the previous iteration if
// that is over by then.
func (b *occupancy) begin(o *Offer, ready units.Time, take []Lane, ahead bool) (start units.Time, set span) {
	start = ready
	start = each.Max(start, o.Islands, func(c int) units.Time { return b.islands[c] })
	if o.First == NoCircuits {
		return start, set
	}
	if take == nil {
		s := &b.seats[o.First]
		start = max(start, s.since)
		for _, l := range s.lanes {
			if o.everywhere || slices.Contains(o.Uses, l.Line) {
				at := b.at(l)
				start = later(later(start, at.free), at.opens)
			}
		}
		return start, set
	}
	free, opens := b.seats[o.First].left, b.seats[o.First].opens
	for _, l := range take {
		at := b.at(l)
		free, opens = later(free, at.free), later(opens, at.opens)
	}
	switch {
	case !ahead:
		set.start = max(free, opens, ready)
	case free == never:
		set.start = max(opens, start-b.of.Delay)
	default:
		set.start = max(free, opens)
	}
	set.end = set.start + b.of.Delay
	return max(start, set.end), set
}

// later returns the maximum of two times. It is faster than max, which handles NaN.
func later(a, b units.Time) units.Time {
	if b > a {
		return b
	}
	return a
}

// do carries out an offer.
func (b *occupancy) do(o *Offer, take []Lane, set, run span) {
	for _, c := range o.Islands {
		b.islands[c] = run.end
	}
	if o.First == NoCircuits {
		return
	}
	s := &b.seats[o.First]
	if take != nil {
		for _, l := range take {
			at := b.at(l)
			if old := b.owner(at); old != NoCircuits {
				b.seats[old].lanes = nil
			}
			at.circuits = o.First
			at.touch(set)
		}
		s.lanes, s.since, s.left, s.first = take, set.end, set.end, min(s.first, set.start)
	}
	s.left = max(s.left, run.end)
	for _, l := range s.lanes {
		if o.everywhere || slices.Contains(o.Uses, l.Line) {
			b.at(l).touch(run)
		}
	}
	if o.Last != o.First {
		lanes := s.lanes
		s.lanes = nil
		b.seats[o.Last].lanes, b.seats[o.Last].since, b.seats[o.Last].left = lanes, run.end, run.end
		for _, l := range lanes {
			b.at(l).circuits = o.Last
		}
	}
}

// touch records a use of a lane.
func (l *lane) touch(s span) {
	if l.untouched {
		l.first, l.untouched = s.start, false
	}
	l.free, l.last = s.end, s.end
}

// state lists where circuits are up, by circuits.
func (b *occupancy) state() [][]Lane {
	return each.Below(len(b.seats), func(i int) []Lane { return b.seats[i].lanes })
}
