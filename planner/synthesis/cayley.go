package synthesis

import (
	"context"
	"slices"
)

// generatorSets returns the number of sets of generators of Cayley graphs that use all ports, or
// a number above limit if there are more. With two-way circuits there are fewer.
func (s *space) generatorSets(limit int) int {
	sets := 1
	for p := range s.iv.Ports {
		if sets = sets * (s.iv.Nodes - 1 + p) / (p + 1); sets > limit {
			break
		}
	}
	return sets
}

// cayley tries all Cayley graphs of a group that moves every node to every other one: on
// a ring, all circulants. Routing is cheap on them, since all nodes look alike.
func (s *seeker) cayley(ctx context.Context, sp *space) error {
	return s.extend(ctx, &wiring{space: sp}, 1)
}

// extend adds generators from the given one on until no port is free.
func (s *seeker) extend(ctx context.Context, w *wiring, first int) error {
	complete := true
	for k := first; k < w.space.order && !s.over(ctx); k++ {
		c := [2]int{0, w.space.group.Apply(k, 0)}
		if w.space.atHome(c) != c {
			continue
		}
		next := &wiring{space: w.space, circuits: append(slices.Clone(w.circuits), c)}
		if !next.fits() {
			continue
		}
		complete = false
		if err := s.extend(ctx, next, k); err != nil {
			return err
		}
	}
	if !complete || s.over(ctx) {
		return nil
	}
	_, err := s.tryWiring(ctx, w, s.limit())
	return err
}
