package topology

import (
	"context"
	"fmt"
	"slices"
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

// bestByTrying is the twin of BestJumps: all sets of k jumps, by breadth-first search.
func bestByTrying(n, k int) spread {
	best := spread{diameter: n}
	dist, queue := make([]int32, n), make([]int32, 0, n)
	var jumps []int
	var choose func(from int)
	choose = func(from int) {
		if len(jumps) == k {
			if s, ok := Circulant(n, jumps...).from(0, dist, queue); ok && s.better(best) {
				best = s
			}
			return
		}
		for a := from; a <= (n-1)/2; a++ {
			jumps = append(jumps, a)
			choose(a + 1)
			jumps = jumps[:len(jumps)-1]
		}
	}
	choose(1)
	return best
}

func TestBestJumpsAreTheBestOfAll(t *testing.T) {
	for k, most := range []int{1: 20, 2: 72, 3: 36, 4: 24, 5: 20} {
		for n := max(3, 2*k+1); n <= most; n++ {
			jumps, err := BestJumps(context.Background(), n, k, nil)
			if err != nil || len(jumps) != k || !slices.IsSorted(jumps) {
				t.Fatalf("%d jumps of %d: %v, %v", k, n, jumps, err)
			}
			got, ok := Circulant(n, jumps...).from(0, make([]int32, n), nil)
			want := bestByTrying(n, k)
			if !ok || got.diameter != want.diameter || got.total != want.total {
				t.Errorf("C(%d;%v): diameter %d, total %d; want %d, %d", n, jumps, got.diameter, got.total, want.diameter, want.total)
			}
		}
	}
}

// The two ways to two jumps agree on the diameter.
func TestBestTwoJumpsHaveTheOptimalDiameter(t *testing.T) {
	for n := 5; n <= 400; n++ {
		a, b, _ := OptimalTwoJumps(n)
		want, _ := Circulant(n, a, b).Diameter()
		jumps, err := BestJumps(context.Background(), n, 2, nil)
		if err != nil {
			t.Fatal(err)
		}
		if d, ok := Circulant(n, jumps...).Diameter(); !ok || d != want {
			t.Errorf("C(%d;%v): diameter %d, want %d", n, jumps, d, want)
		}
	}
}

func TestUnitsTurnJumpsIntoDivisors(t *testing.T) {
	for n := 3; n <= 120; n++ {
		for a := 1; a < n; a++ {
			divisor, u := unitFor(a, n)
			if n%divisor != 0 || a%divisor != 0 || gcd(u, n) != 1 || a*u%n != divisor || divisor != gcd(a, n) {
				t.Fatalf("n = %d: %d times %d is not the divisor %d", n, a, u, divisor)
			}
		}
	}
}

func TestRotatedBitsMoveRoundTheRing(t *testing.T) {
	for _, n := range []int{3, 63, 64, 65, 128, 200} {
		words := (n + 63) / 64
		for a := 1; a < n; a++ {
			src, dst := make([]uint64, words), make([]uint64, words)
			want := make([]uint64, words)
			for x := 0; x < n; x += 1 + x%5 {
				src[x/64] |= 1 << (x % 64)
				y := (x + a) % n
				want[y/64] |= 1 << (y % 64)
			}
			if orRotated(dst, src, a, n); !slices.Equal(dst, want) {
				t.Fatalf("%d bits by %d", n, a)
			}
		}
	}
}

func TestBestJumpsRefusesAndEnds(t *testing.T) {
	for _, c := range [][2]int{{2, 1}, {0, 0}, {-7, 1}, {10, 0}, {10, 5}, {MaxNodes + 1, 2}} {
		if _, err := BestJumps(context.Background(), c[0], c[1], nil); err == nil {
			t.Errorf("%d jumps of %d nodes", c[1], c[0])
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	last, calls := 0, 0
	_, err := BestJumps(ctx, 211, 5, func(done, of int) {
		if done <= last || done > of {
			t.Errorf("progress %d of %d after %d", done, of, last)
		}
		last = done
		if calls++; calls == 3 {
			cancel()
		}
	})
	if err != context.Canceled || calls > 4 {
		t.Errorf("%v after %d calls", err, calls)
	}
	for _, k := range []int{2, 3} { // 60 nodes have several branches
		last = 0
		_, err := BestJumps(context.Background(), 60, k, func(done, of int) {
			if done <= last || done > of {
				t.Errorf("%d jumps: progress %d of %d after %d", k, done, of, last)
			}
			last = done
		})
		if err != nil || last == 0 {
			t.Errorf("%d jumps: %v, progress %d", k, err, last)
		}
	}
	if _, err := BestJumps(ctx, 9, 1, nil); err != context.Canceled {
		t.Errorf("one jump: %v", err)
	}
}

func BenchmarkBestJumps(b *testing.B) {
	for _, c := range [][2]int{{1000, 2}, {500, 3}, {200, 4}} {
		b.Run(fmt.Sprintf("n=%d/k=%d", c[0], c[1]), func(b *testing.B) {
			for b.Loop() {
				if _, err := BestJumps(context.Background(), c[0], c[1], nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
