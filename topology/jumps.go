package topology

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
