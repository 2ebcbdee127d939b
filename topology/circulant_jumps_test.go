package topology

import (
	"fmt"
	"testing"
)

// Zhao et al., Theorem 22: the diameter is m, the least m with (2m+1)^2 >= 2n-1. No two
// jumps have a smaller one, because within m-1 steps along two jumps there are at most
// 2(m-1)^2 + 2(m-1) + 1 nodes, which are fewer than n.
func TestOptimalTwoJumpsHaveTheDiameterOfTheorem22(t *testing.T) {
	for n := 7; n <= 400; n++ {
		m := 0
		for (2*m+1)*(2*m+1) < 2*n-1 {
			m++
		}
		a, b, ok := OptimalTwoJumps(n)
		if !ok || a != m || b != m+1 {
			t.Fatalf("n = %d: %d, %d, %v, want %d, %d", n, a, b, ok, m, m+1)
		}
		if d, ok := Circulant(n, a, b).Diameter(); !ok || d != m || 2*(m-1)*m+1 >= n {
			t.Errorf("C(%d;%d,%d): diameter %d", n, a, b, d)
		}
	}
	for n, want := range map[int]string{-1: "0 0 false", 4: "0 0 false", 5: "1 2 true", 6: "1 2 true"} {
		a, b, ok := OptimalTwoJumps(n)
		if got := fmt.Sprint(a, b, ok); got != want {
			t.Errorf("n = %d: %s, want %s", n, got, want)
		}
	}
}
