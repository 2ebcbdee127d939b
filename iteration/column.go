package iteration

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/units"
)

// FastestOf finds fast courses of a program for several delays, by ascending delay. It looks for
// courses whatever the delay is with what there is for the shortest, the longest and one between
// them, and offers each of them for all delays. Then it looks for courses for every single delay,
// as Fastest does.
func FastestOf(ctx context.Context, p *Program, repertoires []*Repertoire, policy string) ([]*Plan, error) {
	c := &column{of: repertoires}
	plans := make([]*Plan, len(repertoires))
	for i, r := range repertoires {
		c.best = append(c.best, &found{})
		var err error
		if plans[i], err = newSearch(p, r).compared(ctx, c.best[i], policy); err != nil {
			return nil, err
		}
	}
	if policy == Best {
		seen := map[string]bool{}
		for _, i := range []int{0, len(repertoires) / 2, len(repertoires) - 1} {
			if key := repertoires[i].timed(); !seen[key] {
				seen[key] = true
				if err := c.look(ctx, newSearch(p, repertoires[i])); err != nil {
					return nil, err
				}
			}
		}
		for i, r := range repertoires {
			if err := newSearch(p, r).lookHere(ctx, c.best[i]); err != nil {
				return nil, err
			}
		}
	}
	for i, r := range repertoires {
		plans[i].choose(c.best[i], p, r)
	}
	return plans, nil
}

// timed says which offers there are, and what time each takes.
func (r *Repertoire) timed() string {
	key := ""
	for w, names := range r.offerNames() {
		for i, name := range names {
			key += fmt.Sprint(name, r.Offers[w][i].Time)
		}
		key += "."
	}
	return key
}

// circuitNames says, for all circuits, which ranks they join. Copies have names of their own.
func (r *Repertoire) circuitNames() []string {
	names, times := make([]string, len(r.Circuits)), map[string]int{}
	for i := range r.Circuits {
		key := r.seatKey(i, nil)
		names[i] = fmt.Sprint(key, " ", times[key])
		times[key]++
	}
	return names
}

// offerNames says, by work, over which circuits each offer is, and whether it changes them.
func (r *Repertoire) offerNames() [][]string {
	circuits := r.circuitNames()
	name := func(i int) string {
		if i == NoCircuits {
			return ""
		}
		return circuits[i]
	}
	names := make([][]string, len(r.Offers))
	for w, offers := range r.Offers {
		for i := range offers {
			o := &offers[i]
			names[w] = append(names[w], fmt.Sprint(name(o.First), ">", name(o.Last), o.Changes > 0))
		}
	}
	return names
}

// column is repertoires by ascending delay, and the best course known for each.
type column struct {
	of   []*Repertoire
	best []*found
	to   []*renamed // what is searched is called there
}

// renamed is what circuits and offers of a repertoire are in another; -1 where they are not there.
type renamed struct {
	circuits []int
	offers   [][]int // by work
}

// rename finds the circuits and offers of a repertoire in another.
func rename(from, to *Repertoire) *renamed {
	match := func(from, to []string) []int {
		at := map[string]int{}
		for i, name := range to {
			at[name] = i
		}
		list := make([]int, len(from))
		for i, name := range from {
			k, ok := at[name]
			if !ok {
				k = -1
			}
			list[i] = k
		}
		return list
	}
	m := &renamed{circuits: match(from.circuitNames(), to.circuitNames())}
	names := to.offerNames()
	for w, own := range from.offerNames() {
		m.offers = append(m.offers, match(own, names[w]))
	}
	return m
}

// course is a course in the other repertoire; nil if it needs what is not there.
func (m *renamed) course(c *Course, p *Program, circuits int) *Course {
	out := &Course{Policy: c.Policy, Ahead: c.Ahead, Initial: make([][]Lane, circuits), Moves: make([]Move, len(c.Moves))}
	for i, lanes := range c.Initial {
		if lanes == nil {
			continue
		}
		if m.circuits[i] < 0 {
			return nil
		}
		out.Initial[m.circuits[i]] = lanes
	}
	for i, move := range c.Moves {
		if move.Offer = m.offers[p.Jobs[move.Job].Work][move.Offer]; move.Offer < 0 {
			return nil
		}
		out.Moves[i] = move
	}
	return out
}

// look tries all that does not depend on the delay, and that once more with copies of circuits.
func (c *column) look(ctx context.Context, s *search) error {
	c.to = nil
	for _, r := range c.of {
		c.to = append(c.to, rename(s.of, r))
	}
	s.also = c
	for s != nil {
		left := maxJobs / max(1, len(s.program.Jobs))
		if err := s.climb(ctx, nil); err != nil {
			return err
		}
		if err := s.descend(ctx, nil, &left); err != nil {
			return err
		}
		if s.copies {
			return nil
		}
		s = s.copied()
	}
	return nil
}

// lookHere tries what depends on the delay, and that once more with copies of circuits.
func (s *search) lookHere(ctx context.Context, best *found) error {
	for s != nil {
		left := maxJobs / max(1, len(s.program.Jobs))
		if err := s.here(ctx, best, &left); err != nil {
			return err
		}
		if s.copies {
			return nil
		}
		s = s.copied()
	}
	return nil
}

// offer offers a course for all delays. It takes longer for longer ones, so where more time is too
// much already than it takes for a shorter one, it is not tried.
func (c *column) offer(p *Program, course *Course) {
	// time offers it for one delay, and returns its time there, or that for a shorter one.
	time := func(i int, least units.Time) units.Time {
		here := c.to[i].course(course, p, len(c.of[i].Circuits))
		if here == nil {
			return least
		}
		t := here.length(p, c.of[i])
		c.best[i].offer(here, t)
		return t
	}
	var between func(from, to int, least units.Time)
	between = func(from, to int, least units.Time) {
		for from < to && !c.best[from].beats(least) {
			from++ // these are faster already
		}
		for to > from && !c.best[to-1].beats(least) {
			to--
		}
		if from >= to {
			return
		}
		mid := (from + to) / 2
		at := time(mid, least)
		between(from, mid, least)
		between(mid+1, to, at)
	}
	between(1, len(c.of), time(0, 0))
}

// beats reports whether a course that takes a time would be the best.
func (f *found) beats(time units.Time) bool { return f.course == nil || time < f.time }
