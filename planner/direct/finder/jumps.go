package finder

import (
	"iter"
	"math/rand/v2"
	"slices"
)

// jumpSets provides sets of jumps from 1 to largest. All have the jump 1, which connects the
// nodes. Jumps repeat only if there are too few different ones.
type jumpSets struct {
	jumps   int // in a set
	largest int
	gap     int // least difference of neighbouring jumps: 1, or 0 if jumps repeat
	random  *rand.Rand
}

func newJumpSets(jumps, largest int, random *rand.Rand) *jumpSets {
	s := &jumpSets{jumps: jumps, largest: largest, random: random}
	if jumps <= largest {
		s.gap = 1
	}
	return s
}

// sets returns the number of sets, or a number above limit if there are more than limit.
func (s *jumpSets) sets(limit int) int {
	// Taking i*gap off the i-th jump turns sets into multisets.
	free := s.jumps - 1
	choices := s.largest - free*s.gap
	count := 1
	for i := 1; i <= free; i++ {
		count = count * (choices + i - 1) / i
		if count > limit {
			return limit + 1
		}
	}
	return count
}

// all yields all sets if there are at most tries of them, and otherwise tries sets. The first
// of these writes every number with the fewest digits and is never far from the best; the
// others are random.
func (s *jumpSets) all(n, tries int) iter.Seq[[]int] {
	if s.sets(tries) <= tries {
		return s.enumerate
	}
	return func(yield func([]int) bool) {
		set := s.digits(n)
		for range tries {
			if !yield(set) {
				return
			}
			set = s.draw()
		}
	}
}

// enumerate yields all sets in lexicographic order.
func (s *jumpSets) enumerate(yield func([]int) bool) {
	set := make([]int, s.jumps)
	s.fill(set, 0, 1)
	for yield(slices.Clone(set)) {
		i := s.jumps - 1
		for i > 0 && set[i] == s.largest-(s.jumps-1-i)*s.gap {
			i--
		}
		if i == 0 {
			return
		}
		s.fill(set, i, set[i]+1)
	}
}

// fill sets the jumps from the i-th on to the smallest that begin with first.
func (s *jumpSets) fill(set []int, i, first int) {
	for ; i < len(set); i++ {
		set[i] = first
		first += s.gap
	}
}

// draw returns a random set.
func (s *jumpSets) draw() []int {
	set := make([]int, 1, s.jumps)
	set[0] = 1
	for len(set) < s.jumps {
		if a := 1 + s.random.IntN(s.largest); s.gap == 0 || !slices.Contains(set, a) {
			set = append(set, a)
		}
	}
	slices.Sort(set)
	return set
}

// digits returns the jumps 1, r, r^2 and so on, with the least r for which they reach all
// of n nodes in (r-1) steps each.
func (s *jumpSets) digits(n int) []int {
	r := radix(n, s.jumps)
	set := make([]int, 1, s.jumps)
	set[0] = 1
	for power := r; len(set) < s.jumps && power <= s.largest; power *= r {
		set = append(set, power)
	}
	for a := 2; len(set) < s.jumps; a++ {
		if s.gap == 0 || !slices.Contains(set, a) {
			set = append(set, min(a, s.largest))
		}
	}
	slices.Sort(set)
	return set
}

// radix returns the least r with r^k >= n.
func radix(n, k int) int {
	r := 1
	for !reaches(r, k, n) {
		r++
	}
	return r
}

// reaches reports whether r^k >= n.
func reaches(r, k, n int) bool {
	power := 1
	for range k {
		if power >= n {
			return true
		}
		power *= r
	}
	return power >= n
}
