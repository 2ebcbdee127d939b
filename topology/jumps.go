package topology

import (
	"context"
	"fmt"
)

// OptimalTwoJumps returns the jumps of a two-way circulant C(n;a,b) whose diameter is
// the least that two jumps allow: a is that diameter, the smallest m for which the
// 2m^2+2m+1 nodes within m steps along two jumps can be all n, and b = a+1. (Zhao et
// al., Theorem 22, for n > 6.) Five or six nodes have no choice but the jumps 1 and 2;
// fewer have no two jumps, and ok is false.
func OptimalTwoJumps(n int) (a, b int, ok bool) {
	if n < 5 {
		return 0, 0, false
	}
	if n <= 6 {
		return 1, 2, true
	}
	for a*(a+1) < (n-1)/2+(n-1)%2 {
		a++
	}
	return a, a + 1, true
}

// BestJumps finds k different jumps, ascending, with which the two-way circulant
// C(n;jumps) has the least diameter and, among those, the least average distance.
//
// Multiplying all jumps by a unit, a number that has no divisor in common with n, only
// renumbers the nodes. One jump can so be made a divisor of n, and of the sets that
// this relates one is looked at. Of several best ones the first in lexicographic order
// is returned.
//
// The search is exhaustive, by branch and bound: the distances with some of the jumps
// bound how many nodes the others can bring within each number of steps. A set that is
// not cut off takes O(n D/64) time for a diameter D, and there are about (n/2)^(k-1)/k!
// of them if n is prime: three jumps of 2000 nodes take a second or two. If progress is
// not nil, it is told how many of the branches are done. The error says that n and k do
// not fit, or is the context's.
func BestJumps(ctx context.Context, n, k int, progress func(done, of int)) ([]int, error) {
	if n < 3 || n > MaxNodes || k < 1 || k > (n-1)/2 {
		return nil, fmt.Errorf("no %d jumps for %d nodes: a circulant of 3 to %d nodes has 1 to (n-1)/2 jumps", k, n, MaxNodes)
	}
	if k == 1 {
		return []int{1}, ctx.Err() // every other that reaches all nodes is a multiple
	}
	var divisors []int
	for d := 1; d <= (n-1)/2; d++ {
		if n%d == 0 {
			divisors = append(divisors, d)
		}
	}
	s := newJumpSearch(ctx, n, k)
	s.progress, s.branches = progress, len(divisors)
	for i, d := range divisors {
		s.branch = i
		if s.add(d); s.err != nil {
			return nil, s.err
		}
	}
	return s.best, nil
}
