package exchange

import (
	"context"
	"math/rand/v2"
)

// grow chooses the generators of a stage one after the other, each the best given those
// before, and returns the sum of lengths over the stages so far.
func (s *wordSearch) grow(stage int, candidates []int) int {
	total := maxTotal
	for p := range s.next[stage] {
		total = s.improve(stage, p, p+1, stage, maxTotal, candidates)
	}
	s.spread(&s.words[stage], &s.words[stage+1], s.next[stage])
	return total
}

// descend exchanges single generators for better ones until none is or the floor is
// reached. It gives up when more than the given number of nodes have been looked at.
func (s *wordSearch) descend(ctx context.Context, candidates []int, floor, visits int) (total int, err error) {
	total = s.update(0)
	k, last := len(s.next[0]), len(s.next)-1
	for quiet, c := 0, 0; quiet < k*(last+1) && total > floor && s.visits < visits; c = (c + 1) % (k * (last + 1)) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		stage, port := c/k, c%k
		t := s.improve(stage, port, k, last, total, candidates)
		quiet++
		if t < total {
			quiet, total = 0, s.update(stage)
		}
	}
	return total, nil
}

// scatter sets all generators to candidates that a seed chooses.
func (s *wordSearch) scatter(seed uint64, candidates []int) {
	random := rand.New(rand.NewPCG(seed, 0))
	for i, next := range s.next {
		for p := range next {
			s.set(i, p, candidates[random.IntN(len(candidates))])
		}
	}
}
