package matching_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/lightpath-net/lightpath/flow/matching"
)

// matrix is a demand with the given entries off the diagonal.
func matrix(n int, entry func(i, j int) float64) [][]float64 {
	demand := make([][]float64, n)
	for i := range demand {
		demand[i] = make([]float64, n)
		for j := range demand[i] {
			if i != j {
				demand[i][j] = entry(i, j)
			}
		}
	}
	return demand
}

// permutations is the sum of random permutations with random weights. Its rows
// and columns have equal sums except for rounding.
func permutations(rng *rand.Rand, n, count int) [][]float64 {
	demand := matrix(n, func(int, int) float64 { return 0 })
	for range count {
		weight := rng.Float64()
		cycle := rng.Perm(n)
		for k, u := range cycle { // one cycle, so that no node is its own peer
			demand[u][cycle[(k+1)%n]] += weight
		}
	}
	return demand
}

// demands returns matrices of every kind.
func demands(rng *rand.Rand, n int) map[string][][]float64 {
	idle := rng.IntN(n)
	at := rng.IntN(n)
	return map[string][][]float64{
		"uniform":      matrix(n, func(int, int) float64 { return 1.0 / 3 }),
		"random":       matrix(n, func(int, int) float64 { return rng.Float64() }),
		"small whole":  matrix(n, func(int, int) float64 { return float64(rng.IntN(4)) }),
		"zipf":         matrix(n, func(int, int) float64 { return 1e6 / float64(1+rng.IntN(n*n)) }),
		"zipf by node": matrix(n, func(i, j int) float64 { return 1e9 / float64((1+i)*(1+j)) }),
		"sparse": matrix(n, func(int, int) float64 {
			return max(0, rng.Float64()-0.9)
		}),
		"idle nodes": matrix(n, func(i, j int) float64 {
			if i == idle || j == (idle+2)%n {
				return 0
			}
			return rng.ExpFloat64()
		}),
		"one pair": matrix(n, func(i, j int) float64 {
			if i == at && j == (at+1)%n {
				return 5
			}
			return 0
		}),
		"one sender": matrix(n, func(i, j int) float64 {
			if i == at {
				return float64(1 + j)
			}
			return 0
		}),
		"nothing":      matrix(n, func(int, int) float64 { return 0 }),
		"wide range":   matrix(n, func(int, int) float64 { return math.Pow(10, 15*rng.Float64()-3) }),
		"widest range": matrix(n, func(int, int) float64 { return math.Ldexp(1+rng.Float64(), rng.IntN(2000)-1000) }),
		"permutations": permutations(rng, n, 1+n/3),
	}
}

// checkSlots verifies that slots carry the demand, pair by pair to the last bits.
func checkSlots(t *testing.T, what string, demand [][]float64, slots []matching.Slot) {
	t.Helper()
	n := len(demand)
	carried := matrix(n, func(int, int) float64 { return 0 })
	for s, slot := range slots {
		taken := make([]bool, n)
		busy := false
		for i, j := range slot.Match {
			sent := slot.Sent[i]
			if j < 0 {
				if sent != 0 {
					t.Fatalf("%s: slot %d: idle node %d sends %v", what, s, i, sent)
				}
				continue
			}
			if i == j || taken[j] || !(sent > 0) || sent > slot.Duration {
				t.Fatalf("%s: slot %d of %v: %v from %d to %d", what, s, slot.Duration, sent, i, j)
			}
			taken[j] = true
			busy = true
			carried[i][j] += sent
		}
		if !busy {
			t.Fatalf("%s: slot %d is idle", what, s)
		}
	}
	for i, row := range demand {
		for j, d := range row {
			if i != j && math.Abs(carried[i][j]-d) > 1e-14*d {
				t.Fatalf("%s: %v carried from %d to %d, want %v", what, carried[i][j], i, j, d)
			}
		}
	}
}

// mostPeers is the largest number of positive entries of a row or column.
func mostPeers(demand [][]float64) int {
	n := len(demand)
	count := make([]int, 2*n)
	most := 0
	for i, row := range demand {
		for j, d := range row {
			if i != j && d > 0 {
				count[i]++
				count[n+j]++
				most = max(most, count[i], count[n+j])
			}
		}
	}
	return most
}

// delayParts are delays as fractions of the bound on the duration.
var delayParts = []float64{0, 1e-6, 1e-3, 0.1, 10}

// checkDivisions verifies all documented properties of a demand's slots.
func checkDivisions(t *testing.T, what string, demand [][]float64, parts ...float64) (shortest, fewest []matching.Slot) {
	t.Helper()
	n := len(demand)
	bound, err := matching.SlotBound(demand)
	if err != nil {
		t.Fatal(err)
	}
	if shortest, err = matching.ShortestSlots(context.Background(), demand); err != nil {
		t.Fatal(err)
	}
	checkSlots(t, what+", shortest", demand, shortest)
	total := matching.SlotsTime(shortest, 0)
	if total < bound*(1-1e-12) || total > bound*(1+1e-9) {
		t.Fatalf("%s: shortest slots last %v, bound %v", what, total, bound)
	}
	if most := n*n - 2*n + 2; len(shortest) > most {
		t.Fatalf("%s: %d shortest slots, more than %d", what, len(shortest), most)
	}

	if fewest, err = matching.FewestSlots(context.Background(), demand); err != nil {
		t.Fatal(err)
	}
	checkSlots(t, what+", fewest", demand, fewest)
	if peers := mostPeers(demand); len(fewest) != peers || len(shortest) < peers {
		t.Fatalf("%s: %d fewest and %d shortest slots for %d peers", what, len(fewest), len(shortest), peers)
	}

	for _, part := range parts {
		delay := part * bound
		best, err := matching.BestSlots(context.Background(), demand, delay)
		if err != nil {
			t.Fatal(err)
		}
		checkSlots(t, what+", best", demand, best)
		limit := min(matching.SlotsTime(shortest, delay), matching.SlotsTime(fewest, delay))
		least := bound + float64(max(0, mostPeers(demand)-1))*delay
		if got := matching.SlotsTime(best, delay); got > limit*(1+1e-12) || got < least*(1-1e-12) {
			t.Fatalf("%s: best slots take %v with a delay of %v, want between %v and %v", what, got, delay, least, limit)
		}
	}
	return shortest, fewest
}

func TestSlotsCarryTheDemandInTheLeastTime(t *testing.T) {
	rng := rand.New(rand.NewPCG(24, 1))
	for _, n := range []int{1, 2, 3, 4, 5, 8, 16, 33} {
		for what, demand := range demands(rng, n) {
			checkDivisions(t, fmt.Sprintf("%s, n = %d", what, n), demand, delayParts...)
		}
	}
	checkDivisions(t, "no nodes", nil, delayParts...)
}

func TestSlotsOf64Nodes(t *testing.T) {
	rng := rand.New(rand.NewPCG(24, 2))
	all := demands(rng, 64)
	for _, what := range []string{"wide range", "zipf by node", "permutations"} {
		checkDivisions(t, what, all[what], 1e-3)
	}
}

func TestUniformAllToAllIsNMinusOneSlots(t *testing.T) {
	for _, n := range []int{2, 3, 7, 16, 64} {
		for _, d := range []float64{1, 0.1, 1e-300, 1e300} {
			demand := matrix(n, func(int, int) float64 { return d })
			shortest, fewest := checkDivisions(t, "uniform", demand)
			if len(shortest) != n-1 || len(fewest) != n-1 {
				t.Errorf("n = %d: %d shortest and %d fewest slots", n, len(shortest), len(fewest))
			}
			for _, s := range append(shortest, fewest...) {
				if math.Abs(s.Duration/d-1) > 1e-12 {
					t.Errorf("n = %d: a slot of %v for demands of %v", n, s.Duration, d)
				}
			}
		}
	}
}

// A sum of a few permutations with different weights is decomposed into as many slots, although
// the sums of rows differ in their last bits.
func TestRoundingMakesNoSlots(t *testing.T) {
	rng := rand.New(rand.NewPCG(24, 3))
	for range 20 {
		demand := permutations(rng, 40, 6)
		if slots, err := matching.ShortestSlots(context.Background(), demand); err != nil || len(slots) > 7 {
			t.Errorf("%d slots for 6 permutations (%v)", len(slots), err)
		}
	}
}

func TestSlotsRepeat(t *testing.T) {
	demand := demands(rand.New(rand.NewPCG(24, 6)), 24)["zipf"]
	a, err := matching.BestSlots(context.Background(), demand, 1000)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := matching.BestSlots(context.Background(), demand, 1000); err != nil || !reflect.DeepEqual(a, b) {
		t.Errorf("two runs differ (%v)", err)
	}
}

func TestDiagonalIsIgnored(t *testing.T) {
	demand := matrix(3, func(i, j int) float64 { return float64(1 + i + j) })
	want, err := matching.ShortestSlots(context.Background(), demand)
	if err != nil {
		t.Fatal(err)
	}
	demand[0][0], demand[1][1], demand[2][2] = 9, math.NaN(), -1
	if got, err := matching.ShortestSlots(context.Background(), demand); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("slots %v (%v), want %v", got, err, want)
	}
}

func TestBadMatrices(t *testing.T) {
	for _, demand := range [][][]float64{
		{{0, 1}}, {{0, -1}, {0, 0}}, {{0, math.NaN()}, {0, 0}}, {{0, math.Inf(1)}, {0, 0}},
		matrix(3, func(int, int) float64 { return math.MaxFloat64 }),
	} {
		_, bound := matching.SlotBound(demand)
		_, shortest := matching.ShortestSlots(context.Background(), demand)
		_, fewest := matching.FewestSlots(context.Background(), demand)
		_, best := matching.BestSlots(context.Background(), demand, 1)
		for _, err := range []error{bound, shortest, fewest, best} {
			if !errors.Is(err, matching.ErrMatrix) {
				t.Errorf("%v: error %v", demand, err)
			}
		}
	}
	for _, delay := range []float64{-1, math.NaN(), math.Inf(1)} {
		if _, err := matching.BestSlots(context.Background(), nil, delay); !errors.Is(err, matching.ErrDelay) {
			t.Errorf("delay %v: error %v", delay, err)
		}
	}
}

func FuzzSlots(f *testing.F) {
	f.Add([]byte{4, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, false)
	f.Add([]byte{3, 250, 0, 9}, true)
	f.Add([]byte("C\x01\b\t\n\v0"), false) // units rounded up are left for a slot of their own
	f.Fuzz(func(t *testing.T, data []byte, wide bool) {
		if len(data) == 0 {
			return
		}
		n := 1 + int(data[0])%7
		demand := matrix(n, func(i, j int) float64 {
			b := data[(i*n+j)%len(data)]
			if wide && b > 0 {
				return math.Ldexp(float64(b), 8*int(b%16)-64)
			}
			return float64(b) / 7
		})
		checkDivisions(t, "fuzz", demand, delayParts...)
	})
}

func BenchmarkBirkhoff(b *testing.B) {
	for _, n := range []int{16, 64} {
		all := demands(rand.New(rand.NewPCG(24, 7)), n)
		for _, what := range []string{"uniform", "random", "zipf"} {
			demand := all[what]
			bound, err := matching.SlotBound(demand)
			if err != nil {
				b.Fatal(err)
			}
			for _, c := range []struct {
				name  string
				slots func(context.Context, [][]float64) ([]matching.Slot, error)
			}{
				{"shortest", matching.ShortestSlots},
				{"fewest", matching.FewestSlots},
				{"best", func(ctx context.Context, d [][]float64) ([]matching.Slot, error) {
					return matching.BestSlots(ctx, d, bound/1000)
				}},
			} {
				b.Run(fmt.Sprintf("%s/n%d/%s", what, n, c.name), func(b *testing.B) {
					for b.Loop() {
						slots, err := c.slots(b.Context(), demand)
						if err != nil {
							b.Fatal(err)
						}
						b.ReportMetric(float64(len(slots)), "slots")
						b.ReportMetric(matching.SlotsTime(slots, 0)/bound, "x-bound")
						b.ReportMetric(matching.SlotsTime(slots, bound/1000)/bound, "x-bound-with-delay")
					}
				})
			}
		}
	}
}
