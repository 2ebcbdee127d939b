package jumpset

import (
	"context"
	"math/rand/v2"
	"slices"
)

// grow chooses the generators of a stage one after the other, each the best given those
// before.
func (s *WordSearch) grow(stage int) {
	for _, u := range s.units {
		s.improve(stage, u, u.port+u.width, stage, MaxTotal)
	}
	s.spread(&s.words[stage], &s.words[stage+1], s.moves[stage])
}

// Descend replaces single generators by better ones until there is none or the floor is
// reached. It gives up after examining more than the given number of circuits. It returns the
// sum of lengths.
func (s *WordSearch) Descend(ctx context.Context, floor, visits int) (total int, err error) {
	total = s.update(0)
	ports, last := len(s.moves[0]), len(s.moves)-1
	all := len(s.units) * len(s.moves)
	for quiet, c := 0, 0; quiet < all && total > floor && s.Visits < visits; c = (c + 1) % all {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		stage, u := c/len(s.units), s.units[c%len(s.units)]
		t := s.improve(stage, u, ports, last, total)
		quiet++
		if t < total {
			quiet, total = 0, s.update(stage)
		}
	}
	return total, nil
}

// Scatter sets all generators to candidates that a seed chooses.
func (s *WordSearch) Scatter(seed uint64) {
	random := rand.New(rand.NewPCG(seed, 0))
	for i := range s.moves {
		for _, u := range s.units {
			s.set(i, u, u.candidates[random.IntN(len(u.candidates))])
		}
	}
}

// Begin sets the generators from which a search starts: for start 0 each the best given those
// before, and otherwise random ones. For start 0, the first stages may be known from a search with
// the same candidates: with which stages to begin does not depend on how many follow.
func (s *WordSearch) Begin(ctx context.Context, start int, known [][]int) error {
	if start > 0 {
		s.Scatter(uint64(start))
		return nil
	}
	for i := range s.moves {
		if err := ctx.Err(); err != nil {
			return err
		}
		if i >= len(known) {
			s.grow(i)
			continue
		}
		for _, u := range s.units {
			s.set(i, u, known[i][u.port])
		}
		s.spread(&s.words[i], &s.words[i+1], s.moves[i])
	}
	return nil
}

// Generators returns a copy of the generators of every stage, port by port.
func (s *WordSearch) Generators() [][]int {
	list := make([][]int, len(s.generators))
	for i := range list {
		list[i] = slices.Clone(s.generators[i])
	}
	return list
}
