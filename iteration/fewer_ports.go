package iteration

import (
	"context"
	"errors"
	"slices"

	"github.com/lightpath-net/lightpath/planner"
)

// narrows reports whether a search on fewer ports is a search on fewer lanes of the same lines.
func (s *search) narrows() bool {
	m := s.of.maker
	return m != nil && m.program == s.program && (m.fabric.Layout.IsZero() || m.fabric.Layout.Parallel())
}

// onFewer offers the fastest course with every smaller number of ports, as if there were no
// more. So one more port never makes the result slower.
func (s *search) onFewer(ctx context.Context, best *found) error {
	if !s.narrows() {
		return nil
	}
	for ports := 1; ports < s.of.maker.fabric.Ports; ports++ {
		fewer, err := s.of.onFewer(ctx, ports)
		if errors.Is(err, planner.ErrInfeasible) || err == nil && fewer == nil {
			continue // then there is no course with as many ports
		}
		if err != nil {
			return err
		}
		if best.course != nil && fewer.Bound >= best.time {
			continue
		}
		there, t := &found{}, newSearch(s.program, fewer)
		if _, err := t.compared(ctx, there, Best); err != nil {
			return err
		}
		if err := t.look(ctx, there); err != nil {
			return err
		}
		if there.course != nil {
			c := s.of.adopt(fewer, there.course, s.program)
			best.offer(c, c.Time(s.program, s.of).Iteration)
		}
	}
	return nil
}

// onFewer finds how the works of the program can be carried out on fewer ports. Plans are not
// made twice. It returns nil if there is no way.
func (r *Repertoire) onFewer(ctx context.Context, ports int) (*Repertoire, error) {
	f := *r.maker.fabric
	f.Ports = ports
	m := newRepertory(r.maker.program, &f, Options{Plans: r.maker.options.Plans})
	m.plans, m.leasts, m.answers = r.maker.plans, r.maker.leasts, r.maker.answers
	made, err := m.repertoire(ctx)
	if err == nil && r.standing {
		made = made.Standing()
	}
	return made, err
}

// adopt converts a course for fewer ports to one for all of them, over the same lanes. It adds
// missing circuits and offers.
func (r *Repertoire) adopt(from *Repertoire, c *Course, p *Program) *Course {
	at := map[string]int{}
	for i, name := range r.circuitNames() {
		at[name] = i
	}
	names := from.circuitNames()
	circuits := func(i int) int {
		if i == NoCircuits {
			return i
		}
		k, ok := at[names[i]]
		if !ok || !slices.Equal(r.Circuits[k].Claims, from.Circuits[i].Claims) {
			k = len(r.Circuits)
			at[names[i]] = k
			r.Circuits, r.places = append(slices.Clip(r.Circuits), from.Circuits[i]), append(slices.Clip(r.places), from.places[i])
		}
		return k
	}
	offer := func(w, k int) int {
		o := from.Offers[w][k]
		o.First, o.Last, o.Copy = circuits(o.First), circuits(o.Last), false
		same := slices.IndexFunc(r.Offers[w], func(mine Offer) bool {
			return mine.First == o.First && mine.Last == o.Last && (mine.Changes == 0) == (o.Changes == 0) && mine.Time <= o.Time && slices.Equal(mine.Uses, o.Uses)
		})
		if same < 0 {
			same = len(r.Offers[w])
			r.Offers[w] = append(slices.Clip(r.Offers[w]), o)
		}
		return same
	}
	out := &Course{Policy: Best, Ahead: c.Ahead, Moves: slices.Clone(c.Moves)}
	for i := range out.Moves {
		m := &out.Moves[i]
		m.Offer = offer(p.Jobs[m.Job].Work, m.Offer)
	}
	initial := map[int][]Lane{}
	for i, lanes := range c.Initial {
		if lanes != nil {
			initial[circuits(i)] = lanes
		}
	}
	out.Initial = make([][]Lane, len(r.Circuits))
	for i, lanes := range initial {
		out.Initial[i] = lanes
	}
	return out
}
