package synthesis

import "slices"

// serve picks two circuits such that rotating their ends joins the ends of a random
// demand: one that leaves its source and one that arrives at its destination. The end of
// the second is moved to where the first needs it.
func (s *seeker) serve(w *wiring) bool {
	sp := w.space
	demands := s.iv.classes[s.rng.IntN(len(s.iv.classes))].all()
	if len(demands) == 0 {
		return false
	}
	d := demands[s.rng.IntN(len(demands))]
	src, dst := sp.home[d.Src], sp.back(d.Src, d.Dst)
	if slices.Contains(w.circuits, sp.atHome([2]int{src, dst})) {
		return false
	}
	leaving := s.one(w, func(c [2]int) bool { return c[0] == src })
	if leaving < 0 {
		return false
	}
	arriving := s.one(w, func(c [2]int) bool { return sp.home[c[1]] == sp.home[dst] })
	if arriving < 0 {
		return false
	}
	if arriving != leaving {
		// The element that moves the old end to dst moves the other end back.
		old, free := w.circuits[arriving][1], w.circuits[leaving][1]
		w.circuits[arriving][1] = sp.group.Apply(sp.to[old], sp.back(dst, free))
	}
	w.circuits[leaving][1] = dst
	for _, i := range []int{leaving, arriving} {
		if sp.iv.Duplex {
			w.circuits[i] = sp.atHome(w.circuits[i])
		}
	}
	return true
}

// one picks a circuit, in the direction in which it is as wanted, or returns -1.
func (s *seeker) one(w *wiring, wanted func([2]int) bool) int {
	from := s.rng.IntN(len(w.circuits))
	for k := range w.circuits {
		i := (from + k) % len(w.circuits)
		if wanted(w.circuits[i]) {
			return i
		}
		w.turn(i)
		if wanted(w.circuits[i]) {
			return i
		}
		w.turn(i)
	}
	return -1
}
