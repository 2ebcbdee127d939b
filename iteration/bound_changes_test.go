package iteration

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/units"
)

// wired is one port of every rank, as a permutation.
type wired []int

// hops returns the mean number of circuits between members of groups, over all pairs: the load
// that an all-to-all puts on a circuit for every byte that a rank sends. It is infinite if a
// pair is not connected.
func (w wired) hops(groups [][]int) float64 {
	sum, pairs := 0, 0
	for _, group := range groups {
		for _, from := range group {
			for _, to := range group {
				if from == to {
					continue
				}
				at, count := from, 0
				for ; at != to; at, count = w[at], count+1 {
					if count > len(w) {
						return math.Inf(1)
					}
				}
				sum, pairs = sum+count, pairs+1
			}
		}
	}
	return float64(sum) / float64(pairs)
}

// permutations calls a function with all of so many ranks.
func permutations(n int, visit func(w wired)) {
	w := make(wired, n)
	for i := range w {
		w[i] = i
	}
	var from func(i int)
	from = func(i int) {
		if i == n {
			visit(w)
			return
		}
		for k := i; k < n; k++ {
			w[i], w[k] = w[k], w[i]
			from(i + 1)
			w[i], w[k] = w[k], w[i]
		}
	}
	from(0)
}

// TestTwoAllToAllsWithoutAChange: no circuits of 6 ranks with one port each, of all 720, carry
// two all-to-alls, one among rows and one among columns, in less than the window for a change
// that takes forever; and no two of them, with a change in between, do so in less than the
// window for that change.
func TestTwoAllToAllsWithoutAChange(t *testing.T) {
	t.Parallel()
	rows, columns := [][]int{{0, 1, 2}, {3, 4, 5}}, [][]int{{0, 3}, {1, 4}, {2, 5}}
	random := rand.New(rand.NewPCG(31, 7))
	for range 50 {
		a, b := 1+random.Float64()*9, 1+random.Float64()*9
		first, second := &phase{alone: units.Time(a), busy: units.Time(a), copies: 1}, &phase{alone: units.Time(b), busy: units.Time(b), copies: 1}
		stay, bestA, bestB := math.Inf(1), math.Inf(1), math.Inf(1)
		permutations(6, func(w wired) {
			inRows, inColumns := w.hops(rows)*a, w.hops(columns)*b
			stay, bestA, bestB = min(stay, inRows+inColumns), min(bestA, inRows), min(bestB, inColumns)
		})
		if least := window(first, second, 1e12); float64(least) > stay*(1+1e-9) {
			t.Errorf("rows %.2f, columns %.2f: circuits that stay take %.3f, the bound is %.3f", a, b, stay, float64(least))
		}
		for _, delay := range []float64{0, 0.3, 1, 4} {
			if least := window(first, second, units.Time(delay)); float64(least) > min(stay, bestA+bestB+delay)*(1+1e-9) {
				t.Errorf("delay %.1f: with a change it takes %.3f, the bound is %.3f", delay, bestA+bestB+delay, float64(least))
			}
		}
	}
}

// TestWindow: without a delay, two phases take their own times; a longer delay never takes
// less; with a delay that does not pay, ports are divided, which costs time.
func TestWindow(t *testing.T) {
	t.Parallel()
	a, b := &phase{alone: 10, busy: 9, copies: 1}, &phase{alone: 20, busy: 20, copies: 0.5}
	last := units.Time(0)
	for _, delay := range []units.Time{0, 1, 2, 5, 10, 100, 1e6} {
		time := window(a, b, delay)
		if time < last {
			t.Errorf("with a delay of %v it takes %v, with a shorter one %v", delay, time, last)
		}
		last = time
	}
	if free := window(a, b, 0); free != 30 {
		t.Errorf("without a delay: %v, want 30", free)
	}
	if last < 33 {
		t.Errorf("without a change: %v, want some more than 30", last)
	}
}
