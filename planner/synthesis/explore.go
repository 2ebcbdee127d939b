package synthesis

import (
	"context"
	"math"

	"github.com/lightpath-net/lightpath/units"
)

// How the effort under one group is used: a quarter of it on the ideal, rounded after
// random changes that grow up to the given part, and the rest on walks from the best
// topologies known.
const (
	roundings = 4
	noise     = 0.5
	walks     = 2
)

// explore searches among the wirings under one group, looking at about as many
// topologies as given. If the group moves every node to every other one, a wiring is a
// Cayley graph, given by its generators: where these are few enough, all are tried.
func (s *seeker) explore(ctx context.Context, sp *space, effort int) error {
	if len(sp.homes) == 1 && sp.generatorSets(effort) <= effort {
		return s.cayley(ctx, sp)
	}
	stop := s.left - effort
	for k := range effort / roundings {
		if s.over(ctx) {
			return nil
		}
		w := s.round(sp, noise*float64(k*roundings)/float64(effort))
		if _, err := s.tryWiring(ctx, w, s.limit()); err != nil {
			return err
		}
	}
	for k := range walks {
		w := s.pick(sp, k)
		if w == nil || s.over(ctx) {
			return nil
		}
		if err := s.walk(ctx, w, (s.left-stop)/(walks-k)); err != nil {
			return err
		}
	}
	return nil
}

// pick returns the best topology known that has the symmetry, after leaving out so many.
func (s *seeker) pick(sp *space, skip int) *wiring {
	for _, e := range s.kept {
		if !sp.group.Invariant(e.graph) {
			continue
		}
		if skip--; skip < 0 {
			w := sp.wire(e.graph)
			w.fill(nil)
			return w
		}
	}
	return nil
}

// How a walk cools: how much slower the next topology may be on average, at the beginning
// of the walk and at its end, relative to what the steps take beyond their start-up.
const (
	hottest = 0.03
	coldest = 0.001
)

// patience is how many changes in a row may lead to nothing new before a walk ends.
const patience = 1000

// walk goes from wiring to wiring by random changes, looking at about as many topologies
// as given: simulated annealing (Kirkpatrick, Gelatt and Vecchi 1983). The random number
// that decides whether a slower topology is taken is drawn first, so that its price need
// only be computed up to there.
func (s *seeker) walk(ctx context.Context, w *wiring, effort int) error {
	stop, idle := s.left-effort, 0
	here, err := s.tryWiring(ctx, w, units.Time(inf))
	cooled, at := 0.0, -1 // when so much was left
	for err == nil && s.left > stop && idle < patience && !s.over(ctx) {
		if at != s.left {
			at = s.left
			cooled = coldest * math.Pow(hottest/coldest, float64(s.left-stop)/float64(effort))
		}
		warmth := cooled * s.rng.ExpFloat64()
		idle++
		next := s.change(w)
		if next == nil {
			continue
		}
		before, limit := s.left, units.Time(inf)
		if here < limit {
			limit = here + (here-s.iv.startUp())*units.Time(warmth+provenGap)
		}
		var cost units.Time
		if cost, err = s.tryWiring(ctx, next, limit); cost < limit {
			s.taken(w)
			w, here = next, cost
		}
		if s.left < before {
			idle = 0
		}
	}
	return err
}
