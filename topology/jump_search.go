package topology

import (
	"context"
	"math"
	"math/bits"
	"slices"
)

// jumpSearch is the state of BestJumps for two or more jumps.
type jumpSearch struct {
	ctx     context.Context
	err     error
	n, k    int
	largest int     // jump
	divisor []int   // the greatest common divisor of each jump and n
	unit    []int   // multiplied by it, a jump becomes its divisor, modulo n
	ball    [][]int // see balls

	progress         func(done, of int)
	branch, branches int // the divisors of n that can be the first jump
	reportAt         int // how many jumps are chosen before the one that is reported

	chosen []int
	spans  []span // with the first 0, 1, 2 .. of the chosen jumps

	best   []int
	spread spread // of the best; at first, what two jumps can do
	floor  spread // no k jumps have a smaller diameter, or the same and a smaller total
}

// span is how far some jumps lead: the set of nodes within 0, 1, 2 .. steps of node 0
// as bits, and their number. It ends where all nodes are reached, or at the diameter
// of the best set so far.
type span struct {
	within [][]uint64
	count  []int
}

func newJumpSearch(ctx context.Context, n, k int) *jumpSearch {
	s := &jumpSearch{ctx: ctx, n: n, k: k, largest: (n - 1) / 2, reportAt: min(k-2, 1)}
	s.divisor, s.unit = make([]int, s.largest+1), make([]int, s.largest+1)
	for a := 1; a <= s.largest; a++ {
		s.divisor[a], s.unit[a] = unitFor(a, n)
	}
	// More jumps than the optimal two do not lead less far.
	reach, _, _ := OptimalTwoJumps(n)
	s.spread = spread{diameter: max(reach, 2), total: math.MaxInt64}
	s.ball = balls(k, s.spread.diameter, n)
	s.spans = make([]span, k+1)
	for j := range s.spans {
		within := make([][]uint64, s.spread.diameter+1)
		for i := range within {
			within[i] = make([]uint64, (n+63)/64)
			within[i][0] = 1
		}
		s.spans[j] = span{within, make([]int, 0, len(within))}
	}
	s.spans[0].count = slices.Repeat([]int{1}, len(s.spans[0].within))
	s.floor = s.bound(0)
	return s
}

// unitFor returns the greatest common divisor of a and n, and a number u without
// divisor in common with n for which a u is that divisor modulo n.
func unitFor(a, n int) (divisor, u int) {
	divisor, inverse := n, 0
	for r, coefficient := a, 1; r != 0; {
		q := divisor / r
		divisor, r = r, divisor-q*r
		inverse, coefficient = coefficient, inverse-q*coefficient
	}
	// The inverse is only determined modulo n over the divisor; one of the numbers
	// that it stands for has no divisor in common with n.
	step := n / divisor
	u = (inverse%step + step) % step
	for gcd(u, n) != 1 {
		u += step
	}
	return divisor, u
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// over reports whether the search has to end, or cannot get any better.
func (s *jumpSearch) over() bool { return s.err != nil || !s.floor.better(s.spread) }

// add looks at all sets that hold the chosen jumps and a. The first jump is a divisor
// of n, and no other has a smaller divisor in common with n; the others ascend.
func (s *jumpSearch) add(a int) {
	if s.err = s.ctx.Err(); s.err != nil {
		return
	}
	j := len(s.chosen)
	s.chosen = append(s.chosen, a)
	defer func() { s.chosen = s.chosen[:j] }()
	if j+1 == s.k && !s.canonical() {
		return
	}
	s.spans[j+1].extend(&s.spans[j], a, s.n, s.spread.diameter)
	bound := s.bound(j + 1)
	if !bound.better(s.spread) {
		return
	}
	if j+1 == s.k {
		s.spread, s.best = bound, slices.Sorted(slices.Values(s.chosen))
		return
	}
	next := 1
	if j > 0 {
		next = a + 1
	}
	for ; next <= s.largest && !s.over(); next++ {
		if next != s.chosen[0] && s.divisor[next] >= s.chosen[0] {
			s.add(next)
		}
		if j == s.reportAt {
			s.report(next)
		}
	}
}

// report tells the progress when the search is through with the second jump, or the
// third if there are that many.
func (s *jumpSearch) report(jump int) {
	if s.progress == nil {
		return
	}
	done, each := s.branch*s.largest+jump, 1
	if s.reportAt == 1 {
		done, each = (s.branch*s.largest+s.chosen[1]-1)*s.largest+jump, s.largest
	}
	s.progress(done, s.branches*s.largest*each)
}

// canonical reports whether no multiple of the chosen set that turns another of its
// jumps into the first comes earlier in the search.
func (s *jumpSearch) canonical() bool {
	first := s.chosen[0]
	multiple := make([]int, 0, 16)
	for _, a := range s.chosen[1:] {
		if s.divisor[a] != first {
			continue
		}
		multiple = multiple[:0]
		for _, b := range s.chosen {
			if b != a {
				c := b * s.unit[a] % s.n
				multiple = append(multiple, min(c, s.n-c))
			}
		}
		slices.Sort(multiple)
		if slices.Compare(multiple, s.chosen[1:]) < 0 {
			return false
		}
	}
	return true
}

// extend makes s the span of the jumps of t and one more, up to the given number of
// steps: within i steps are the nodes to which the others lead in as many, and those
// one jump away from what is within i-1. It takes O(n/64) per step.
func (s *span) extend(t *span, jump, n, steps int) {
	s.count = s.count[:0]
	for i := 0; i <= steps && i < len(t.count); i++ {
		row := s.within[i]
		copy(row, t.within[i])
		if i > 0 {
			orRotated(row, s.within[i-1], jump, n)
			orRotated(row, s.within[i-1], n-jump, n)
		}
		count := 0
		for _, word := range row {
			count += bits.OnesCount64(word)
		}
		if s.count = append(s.count, count); count == n {
			return
		}
	}
}

// orRotated adds the set src of numbers below n, increased by a modulo n, to dst.
func orRotated(dst, src []uint64, a, n int) {
	up, high := a/64, uint(a%64)
	for i, word := range src[:len(src)-up] {
		dst[i+up] |= word << high
		if i+up+1 < len(dst) {
			dst[i+up+1] |= word >> (64 - high) // none if high is 0
		}
	}
	down, low := (n-a)/64, uint((n-a)%64)
	for i, word := range src[down:] {
		dst[i] |= word >> low
		if i > 0 {
			dst[i-1] |= word << (64 - low)
		}
	}
	if n%64 != 0 {
		dst[len(dst)-1] &= 1<<(n%64) - 1
	}
}

// better orders by diameter and then by total distance.
func (s spread) better(than spread) bool {
	return s.diameter < than.diameter || s.diameter == than.diameter && s.total < than.total
}

// bound returns a diameter and a total of the distances from node 0 that no set which
// holds the first j of the chosen jumps is below; if these are all, it is exact. A node
// within i steps is one at some distance h with the chosen jumps, followed by at most
// i-h steps along the others, and so many lead to no more nodes than there are integer
// points within i-h steps of the origin in as many dimensions. A diameter beyond that
// of the best set is not worked out.
func (s *jumpSearch) bound(j int) spread {
	var result spread
	count := s.spans[j].count
	for i := 0; i <= s.spread.diameter; i++ {
		result.diameter = i
		within, before := 0, 0
		for h := 0; h <= i && h < len(count) && within < s.n; h++ {
			within += (count[h] - before) * s.ball[s.k-j][i-h]
			before = count[h]
		}
		if within >= s.n {
			return result
		}
		result.total += int64(s.n - within)
	}
	return spread{diameter: s.spread.diameter + 1}
}

// balls returns tables of the number of integer points within so many steps of the
// origin, by dimensions, 0 to k, and steps; at n they stop counting.
func balls(k, steps, n int) [][]int {
	ball := make([][]int, k+1)
	for r := range ball {
		ball[r] = make([]int, steps+1)
		for i := range ball[r] {
			ball[r][i] = 1
			if r > 0 && i > 0 {
				// The last coordinate is 0, or can be moved one step towards it.
				ball[r][i] = min(n, ball[r][i-1]+ball[r-1][i]+ball[r-1][i-1])
			}
		}
	}
	return ball
}
