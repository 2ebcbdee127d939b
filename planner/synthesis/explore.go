package synthesis

import (
	"context"
	"math"

	"github.com/lightpath-net/lightpath/units"
)

// The effort under one group is divided as follows: a quarter (1/roundings) goes into rounding
// the ideal after random changes, which grow up to noise, and the rest into walks from the best
// known topologies.
const (
	roundings = 4
	noise     = 0.5
	walks     = 2
)

// explore searches among the wirings under one group and evaluates about effort topologies. If
// the group moves every node to every other one, a wiring is a Cayley graph, given by its
// generators. If there are few enough sets of generators, it tries all of them.
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

// pick returns the best known topology with the symmetry, after skipping some.
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

// The temperature of a walk at its beginning and at its end: how much slower the next topology
// may be on average, relative to the time that the steps take beyond their start-up.
const (
	hottest = 0.03
	coldest = 0.001
)

// patience is the number of consecutive changes without a new topology after which a walk ends.
const patience = 1000

// walk goes from wiring to wiring by random changes and evaluates about effort topologies:
// simulated annealing (Kirkpatrick, Gelatt and Vecchi 1983). It draws the random number that
// decides whether to accept a slower topology first, so that the price is needed only up to the
// resulting limit.
func (s *seeker) walk(ctx context.Context, w *wiring, effort int) error {
	stop, idle := s.left-effort, 0
	here, err := s.tryWiring(ctx, w, units.Time(inf))
	cooled, at := 0.0, -1 // the effort left at the last cooling
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
