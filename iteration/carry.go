package iteration

import (
	"context"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

// Run is a course that carries out a program, step after step if others follow.
type Run struct {
	*Plan
	Program    *Program
	Repertoire *Repertoire

	occupancy *occupancy
	ends      map[string]bool // what is up at its end, and where
}

// NewRun carries out a plan.
func NewRun(p *Program, r *Repertoire, made *Plan) *Run {
	if made.left == nil {
		made.Course, made.Timetable, made.left = made.Course.shortened(p, r, &clock{}, infinite)
	}
	run := &Run{Plan: made, Program: p, Repertoire: r, occupancy: made.left, ends: map[string]bool{}}
	for i, lanes := range run.occupancy.state() {
		if lanes != nil {
			run.ends[r.seatKey(i, lanes)] = true
		}
	}
	return run
}

// seatKey identifies circuits and where they are, independent of their numbers.
func (r *Repertoire) seatKey(circuits int, lanes []Lane) string {
	c := &r.Circuits[circuits]
	key := fmt.Sprint(c.Kind, c.Classes, c.Pair, c.Ring, c.Jumps, c.Width, lanes)
	if c.Graph != nil {
		key += fmt.Sprint(unlooped(c.Graph).Fingerprint())
	}
	return key
}

// Carry applies the course of a run to another program that differs only in its computations
// and in the skew of all-to-alls: over the same circuits in the same order. It returns nil if
// that is impossible, because a plan that rewires within a skewed all-to-all is only for that
// skew.
func (a *Run) Carry(ctx context.Context, p *Program) (*Run, error) {
	if len(p.Jobs) != len(a.Program.Jobs) || len(p.Works) != len(a.Program.Works) {
		return nil, fmt.Errorf("programs of %d and %d jobs, %d and %d works are not alike", len(a.Program.Jobs), len(p.Jobs), len(a.Program.Works), len(p.Works))
	}
	r := *a.Repertoire
	r.Offers = slices.Clone(r.Offers)
	other := make([]bool, len(p.Works)) // works with another skew
	for w := range p.Works {
		if other[w] = a.Program.Works[w].Skew != p.Works[w].Skew; other[w] {
			r.Offers[w] = slices.Clone(r.Offers[w])
		}
	}
	done := map[*Offer]bool{}
	for _, m := range a.Moves {
		w := p.Jobs[m.Job].Work
		o := &r.Offers[w][m.Offer]
		if !other[w] || done[o] {
			continue
		}
		done[o] = true
		made, err := r.carried(ctx, &p.Works[w], o)
		if made == nil || err != nil {
			return nil, err
		}
		o.Plan, o.Time = made, made.Cost.Total()
	}
	run := NewRun(p, &r, &Plan{Course: a.Course, Bound: boundOf(p, r.maker.fabric), Compute: p.ComputeTime(), Baselines: map[string]*Timetable{}})
	if run.Policy != Best {
		run.Baselines[run.Policy] = run.Timetable
	}
	return run, nil
}

// Carries reports whether the course of a run can also carry out other demands.
func (a *Run) Carries() bool {
	for _, m := range a.Moves {
		w := a.Program.Jobs[m.Job].Work
		if a.Program.Works[w].Skew != "" && !a.Repertoire.stands(&a.Repertoire.Offers[w][m.Offer]) {
			return false
		}
	}
	return true
}

// stands reports whether an offer leaves its circuits up, or needs none, so that others may
// then send over them.
func (r *Repertoire) stands(o *Offer) bool {
	return o.First == NoCircuits || o.First == o.Last && o.Changes == 0 && r.places[o.First] != nil
}

// Standing returns the part of a repertoire in which all-to-alls with a skew leave their
// circuits up, so that other demands can be carried out in the same way; nil if that is not
// enough.
func (r *Repertoire) Standing() *Repertoire {
	out := *r
	out.standing = true
	out.Offers = slices.Clone(r.Offers)
	for w := range out.Offers {
		if r.maker.program.Works[w].Skew == "" {
			continue
		}
		out.Offers[w] = slices.DeleteFunc(slices.Clone(r.Offers[w]), func(o Offer) bool { return !r.stands(&o) })
		if len(out.Offers[w]) == 0 {
			return nil
		}
	}
	return &out
}

// carried plans a work over the circuits of an offer; nil if there is no such plan.
func (r *Repertoire) carried(ctx context.Context, w *Work, o *Offer) (*plan.Plan, error) {
	m := r.maker
	if !r.stands(o) {
		return nil, nil
	}
	if o.First != NoCircuits {
		plans, err := m.plansFor(w, r.places[o.First])
		if err != nil {
			return nil, err
		}
		return plans.On(ctx, r.Circuits[o.First].Graph, w.Op, w.Size)
	}
	at, err := m.place(w)
	if err != nil {
		return nil, err
	}
	at.key.ports = m.portsOf(&at, 1)
	plans, err := m.plansFor(w, &at)
	if err != nil {
		return nil, err
	}
	return plans.Ground(ctx, w.Op, w.Size)
}

// Again returns how long a run takes if the same course follows with another program. It equals
// a.Iteration if the program is the same.
func (a *Run) Again(b *Run) units.Time {
	time := units.Time(0)
	for j := range a.Entries {
		time = max(time, a.Entries[j].End)
	}
	if a.Repertoire.Cold {
		return time
	}
	for i := range a.occupancy.lanes {
		if from, to := &a.occupancy.lanes[i], &b.occupancy.lanes[i]; !from.untouched && !to.untouched {
			time = max(time, from.last-to.first)
		}
	}
	for i := range a.occupancy.seats {
		time = max(time, a.occupancy.seats[i].left-b.occupancy.seats[i].first)
	}
	for i, lanes := range b.Initial {
		if lanes == nil || slices.Equal(lanes, a.occupancy.seats[i].lanes) {
			continue
		}
		if last, first := a.occupancy.lasts(lanes), b.occupancy.begins(lanes); last != never && first != -never {
			time = max(time, max(last, a.occupancy.seats[i].left)+a.Repertoire.Delay-first)
		}
	}
	return time
}

// Early returns the run with all-to-alls with a skew that take no time: whatever they carry,
// nothing happens earlier.
func (a *Run) Early() *Run {
	r := *a.Repertoire
	r.Offers = slices.Clone(r.Offers)
	for w := range r.Offers {
		if a.Program.Works[w].Skew != "" {
			r.Offers[w] = slices.Clone(r.Offers[w])
			for i := range r.Offers[w] {
				r.Offers[w][i].Time = 0
			}
		}
	}
	return NewRun(a.Program, &r, &Plan{Course: a.Course})
}

// Enter returns how much later everything in a run is if it follows another course, and nothing
// is set up for it in advance.
func (a *Run) Enter(before *Run) units.Time {
	late := units.Time(0)
	for i := range a.occupancy.lanes {
		if l := &a.occupancy.lanes[i]; !l.untouched {
			late = max(late, -l.first)
		}
	}
	for i, lanes := range a.Initial {
		if lanes == nil || before.ends[a.Repertoire.seatKey(i, lanes)] {
			continue
		}
		if first := a.occupancy.begins(lanes); first != -never {
			late = max(late, a.Repertoire.Delay-first)
		}
	}
	return late
}

// begins returns when the first of the lanes is first used; -never if none is used.
func (b *occupancy) begins(lanes []Lane) units.Time {
	first := -never
	for _, l := range lanes {
		if at := b.at(l); !at.untouched {
			first = min(first, at.first)
		}
	}
	return first
}

// lasts returns when the last of the lanes has finished; never if none is used.
func (b *occupancy) lasts(lanes []Lane) units.Time {
	last := never
	for _, l := range lanes {
		if at := b.at(l); !at.untouched {
			last = max(last, at.last)
		}
	}
	return last
}
