package synthesis

import (
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/units"
)

// walks is how many walks share the effort under one group: the first from the best
// topology, the others from ones changed at random.
const walks = 4

// explore searches among the wirings under one group, looking at about as many
// topologies as given. If the group moves every node to every other one, a wiring is a
// Cayley graph, given by its generators: where these are few enough, all are tried.
func (s *seeker) explore(sp *space, effort int) error {
	if len(sp.starts) == 1 && sp.generatorSets(effort) <= effort {
		return s.cayley(sp)
	}
	stop := s.left - effort
	for round := range walks {
		w := s.pick(sp, round)
		if w == nil || s.over() {
			return nil
		}
		if err := s.walk(w, (s.left-stop)/(walks-round)); err != nil {
			return err
		}
	}
	return nil
}

// pick returns a wiring to start from: the best known that has the symmetry, changed the
// more the later the round.
func (s *seeker) pick(sp *space, round int) *wiring {
	at := slices.IndexFunc(s.kept, func(e *priced) bool { return sp.group.Invariant(e.graph) })
	if at < 0 {
		return nil
	}
	w := sp.wire(s.kept[at].graph)
	w.fill(nil)
	for range round {
		if next := s.change(w); next != nil {
			w = next
		}
	}
	return w
}

// How a walk cools: the first is how much slower, relative to what the steps take beyond
// their start-up, the next topology is on average allowed to be at its beginning, the
// second at its end. Loads are whole multiples of messages, so that the next better or
// worse topology is often a tenth away.
var (
	hottest  = 0.2
	coldest  = 0.005
	servePct = 0
)

// patience is how many changes in a row may lead to nothing new before a walk ends.
const patience = 500

// walk goes from wiring to wiring, looking at about as many topologies as given:
// simulated annealing (Kirkpatrick, Gelatt and Vecchi 1983). The random number that
// decides whether a slower topology is taken is drawn first, so that its price need only
// be computed up to there.
func (s *seeker) walk(w *wiring, effort int) error {
	stop, idle := s.left-effort, 0
	here, err := s.try(w.graph(synthesised), units.Time(inf))
	for err == nil && s.left > stop && idle < patience && !s.over() {
		left := float64(s.left-stop) / float64(effort)
		warmth := coldest * math.Pow(hottest/coldest, left) * s.rng.ExpFloat64()
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
		if cost, err = s.try(next.graph(synthesised), limit); cost < limit {
			w, here = next, cost
		}
		if s.left < before {
			idle = 0
		}
	}
	return err
}

// change returns a wiring that differs at random in the ends of up to three circuits, or
// nil if such a one is not possible.
func (s *seeker) change(w *wiring) *wiring {
	next := &wiring{space: w.space, circuits: slices.Clone(w.circuits)}
	if s.rng.IntN(100) < servePct {
		if !s.serve(next) || !next.fits() {
			return nil
		}
		next.fill(nil)
		return next
	}
	var chosen []int
	switch kind := s.rng.IntN(4); {
	case kind == 0 && len(w.space.moves) > 1:
		chosen = s.choose(next, 1)
	case kind == 1:
		chosen = s.choose(next, 3)
	case kind == 2:
		chosen = s.shortcut(next)
	default:
		chosen = s.choose(next, 2)
	}
	if chosen == nil {
		return nil
	}
	s.rotate(next, chosen)
	if !next.fits() {
		return nil
	}
	next.fill(nil)
	return next
}

// choose picks different circuits, or returns nil if there are not as many. Two-way
// circuits are turned round at random.
func (s *seeker) choose(w *wiring, count int) []int {
	if len(w.circuits) < count {
		return nil
	}
	var chosen []int
	for len(chosen) < count {
		if i := s.rng.IntN(len(w.circuits)); !slices.Contains(chosen, i) {
			chosen = append(chosen, i)
			if s.rng.IntN(2) == 0 {
				w.turn(i)
			}
		}
	}
	return chosen
}

// shortcut picks a circuit, one that goes on from where it ends, and any third: rotating
// their ends takes the node between the first two out and puts it into the third.
func (s *seeker) shortcut(w *wiring) []int {
	chosen := s.choose(w, 2)
	if chosen == nil {
		return nil
	}
	end := w.space.home[w.circuits[chosen[0]][1]]
	var onwards []int
	for i, c := range w.circuits {
		if c[0] == end && !slices.Contains(chosen, i) {
			onwards = append(onwards, i)
		}
	}
	if onwards == nil {
		return nil
	}
	return []int{chosen[0], onwards[s.rng.IntN(len(onwards))], chosen[1]}
}

// rotate gives every chosen circuit the end of the next one, or an image of it under the
// group: the ends stay in their orbits, so that as many arrive everywhere as before.
func (s *seeker) rotate(w *wiring, chosen []int) {
	sp := w.space
	first := w.circuits[chosen[0]][1]
	for k, i := range chosen {
		end := first
		if k+1 < len(chosen) {
			end = w.circuits[chosen[k+1]][1]
		}
		if len(chosen) == 1 || s.rng.IntN(2) == 0 {
			end = sp.moves[s.rng.IntN(len(sp.moves))][end]
		}
		w.circuits[i][1] = end
	}
	if sp.iv.Duplex {
		for _, i := range chosen {
			w.circuits[i] = sp.atHome(w.circuits[i])
		}
	}
}

// turn lists a two-way circuit in its other direction.
func (w *wiring) turn(i int) {
	if sp, c := w.space, w.circuits[i]; sp.iv.Duplex {
		w.circuits[i] = [2]int{sp.home[c[1]], sp.back(c[1], c[0])}
	}
}
