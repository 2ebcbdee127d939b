package collective

import (
	"math"
	"math/rand/v2"
	"sort"
	"testing"
)

// A gate draws the expert that a binary search over the sums finds, also at and next to every sum
// and if some weights are zero or much larger than others.
func TestGatesDrawWhatABinarySearchFinds(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 8))
	for n := 1; n <= 200; n += 1 + n/4 {
		weights := make([]float64, n)
		for e := range weights {
			if weights[e] = math.Exp(3 * rng.NormFloat64()); e > 0 && rng.IntN(4) == 0 {
				weights[e] = 0
			}
		}
		g := newGate(weights)
		total := g.sums[n-1]
		fractions := []float64{0, math.Nextafter(1, 0)}
		for _, sum := range g.sums {
			at := sum / total
			fractions = append(fractions, at, math.Nextafter(at, 0), math.Nextafter(at, 1))
		}
		for range 1000 {
			fractions = append(fractions, rng.Float64())
		}
		for _, f := range fractions {
			if f >= 1 {
				continue
			}
			if got, want := g.at(f), sort.SearchFloat64s(g.sums, f*total); got != want {
				t.Fatalf("%d experts: %v of the sum is at expert %d, want %d", n, f, got, want)
			}
		}
	}
}
