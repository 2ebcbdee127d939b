package synthesis

import "slices"

// This file changes wirings at random. Every change permutes the ends of some circuits. The
// number of circuits that arrive at each node stays the same, so the ports suffice.

// change returns a wiring that differs in up to three circuits, or nil if the attempted change is
// impossible. The wiring is valid until the next call, unless the walk takes it. Most are not
// taken, and with few GPUs a walk meets the same wirings again and again.
func (s *seeker) change(w *wiring) *wiring {
	if s.spare == nil {
		s.spare = &wiring{}
	}
	next := s.spare
	next.space, next.circuits = w.space, append(next.circuits[:0], w.circuits...)
	ok := false
	switch kind := s.rng.IntN(6); {
	case kind < 2:
		ok = s.serve(next)
	case kind < 3:
		ok = s.rotate(next, s.shortcut(next))
	case kind < 4:
		ok = s.rotate(next, s.choose(next, 3))
	case kind < 5 && w.space.order > 1:
		ok = s.rotate(next, s.choose(next, 1))
	default:
		ok = s.rotate(next, s.choose(next, 2))
	}
	if !ok || !next.fits() {
		return nil
	}
	next.fill(nil)
	return next
}

// taken says that the walk continues from the wiring that change returned, so the wiring before
// it may be overwritten.
func (s *seeker) taken(before *wiring) { s.spare = before }

// choose picks count different circuits, or returns nil if there are fewer. It reverses two-way
// circuits at random.
func (s *seeker) choose(w *wiring, count int) []int {
	if len(w.circuits) < count {
		return nil
	}
	chosen := s.chosen[:0]
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

// shortcut picks a circuit, one that continues from its end, and any third circuit. Rotating
// their ends removes the node between the first two and inserts it into the third.
func (s *seeker) shortcut(w *wiring) []int {
	chosen := s.choose(w, 2)
	if chosen == nil {
		return nil
	}
	end := w.space.home[w.circuits[chosen[0]][1]]
	onwards := s.onwards[:0]
	for i, c := range w.circuits {
		if c[0] == end && !slices.Contains(chosen, i) {
			onwards = append(onwards, i)
		}
	}
	if s.onwards = onwards; len(onwards) == 0 {
		return nil
	}
	return append(chosen[:1], onwards[s.rng.IntN(len(onwards))], chosen[1])
}

// rotate gives every chosen circuit the end of the next one, or an image of it under the group,
// and reports whether any circuits were chosen.
func (s *seeker) rotate(w *wiring, chosen []int) bool {
	if chosen == nil {
		return false
	}
	sp := w.space
	first := w.circuits[chosen[0]][1]
	for k, i := range chosen {
		end := first
		if k+1 < len(chosen) {
			end = w.circuits[chosen[k+1]][1]
		}
		if len(chosen) == 1 || s.rng.IntN(2) == 0 {
			end = sp.group.Apply(s.rng.IntN(sp.order), end)
		}
		w.circuits[i][1] = end
	}
	w.settle(chosen)
	return true
}

// serve joins the ends of a random demand: a circuit that leaves its source gets the end of one
// that arrives at its destination. It reports whether anything changed.
func (s *seeker) serve(w *wiring) bool {
	demands := s.iv.classes[s.rng.IntN(len(s.iv.classes))].all()
	if len(demands) == 0 || len(w.circuits) == 0 {
		return false
	}
	sp, d := w.space, demands[s.rng.IntN(len(demands))]
	src, dst := sp.home[d.Src], sp.back(d.Src, d.Dst)
	if slices.Contains(w.circuits, sp.atHome([2]int{src, dst})) {
		return false
	}
	leaving := s.one(w, func(c [2]int) bool { return c[0] == src })
	arriving := s.one(w, func(c [2]int) bool { return sp.home[c[1]] == sp.home[dst] })
	if leaving < 0 || arriving < 0 {
		return false
	}
	// The element that moves dst to the old end of the second circuit also moves the end of the
	// first.
	old, free := w.circuits[arriving][1], w.circuits[leaving][1]
	w.circuits[arriving][1] = sp.group.Apply(sp.to[old], sp.back(dst, free))
	w.circuits[leaving][1] = dst
	w.settle([]int{leaving, arriving})
	return true
}

// one picks a circuit that is wanted in one of its directions and lists it in that direction; -1
// if there is none.
func (s *seeker) one(w *wiring, wanted func([2]int) bool) int {
	from := s.rng.IntN(len(w.circuits))
	for k := range w.circuits {
		i := (from + k) % len(w.circuits)
		if wanted(w.circuits[i]) {
			return i
		}
		if w.turn(i); wanted(w.circuits[i]) {
			return i
		}
		w.turn(i)
	}
	return -1
}

// turn lists a two-way circuit in the opposite direction.
func (w *wiring) turn(i int) {
	if w.space.iv.Duplex {
		w.circuits[i] = w.space.turned(w.circuits[i])
	}
}

// settle lists changed circuits in their canonical form.
func (w *wiring) settle(changed []int) {
	for _, i := range changed {
		w.circuits[i] = w.space.atHome(w.circuits[i])
	}
}
