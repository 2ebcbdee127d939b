package vector_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/internal/vector"
)

func ExampleSubtractScaled() {
	y := []float64{10, 20, 30, 40, 50}
	vector.SubtractScaled(y, 2, []float64{1, 2, 3, 4, 5})
	fmt.Println(y)
	// Output: [8 16 24 32 40]
}

// plain is the twin: one number after the other.
func plain(y []float64, times float64, x []float64) {
	for i := range y {
		y[i] -= float64(times * x[i])
	}
}

// Every length, at any place in memory, gives the bits of the twin, and nothing beside it changes.
func TestSubtractedNumbersHaveTheBitsOfOneByOne(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 64))
	odd := []float64{0, math.Copysign(0, -1), math.Inf(1), math.NaN(), math.SmallestNonzeroFloat64, math.MaxFloat64}
	draw := func(n int) []float64 {
		all := make([]float64, n)
		for i := range all {
			all[i] = random.NormFloat64() * math.Exp2(float64(random.IntN(60)-30))
			if random.IntN(20) == 0 {
				all[i] = odd[random.IntN(len(odd))]
			}
		}
		return all
	}
	for n := range 70 {
		for from := range 4 {
			got, x, times := draw(n+from+3), draw(n), draw(1)[0]
			want := append([]float64(nil), got...)
			vector.SubtractScaled(got[from:from+n], times, x)
			plain(want[from:from+n], times, x)
			for i := range want {
				if math.Float64bits(got[i]) != math.Float64bits(want[i]) && !(math.IsNaN(got[i]) && math.IsNaN(want[i])) {
					t.Fatalf("%d numbers from %d on: %v at %d, want %v", n, from, got[i], i, want[i])
				}
			}
		}
	}
}

func TestShortVectorsAreRefused(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("fewer numbers to subtract than there are to subtract from")
		}
	}()
	vector.SubtractScaled(make([]float64, 8), 1, make([]float64, 4))
}

// BenchmarkSubtractScaled: rows of a program of 337 bundles, against the twin.
func BenchmarkSubtractScaled(b *testing.B) {
	const n = 337
	for name, subtract := range map[string]func([]float64, float64, []float64){"many": vector.SubtractScaled, "one": plain} {
		b.Run(name, func(b *testing.B) {
			rows := make([]float64, n*n)
			for b.Loop() {
				for i := 1; i < n; i++ {
					subtract(rows[i*n:(i+1)*n], 1e-9, rows[:n])
				}
			}
		})
	}
}
