package matching_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/flow/matching"
)

// TestBestSlotsIsTheBestDivision: for every delay, BestSlots chooses the best of the divisions,
// and each division carries the demand.
func TestBestSlotsIsTheBestDivision(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 1))
	for n := 2; n <= 9; n++ {
		demand := make([][]float64, n)
		for i := range demand {
			demand[i] = make([]float64, n)
			for j := range demand[i] {
				demand[i][j] = math.Floor(random.ExpFloat64() * 10)
			}
		}
		var all [][]matching.Slot
		err := matching.EachDivision(context.Background(), demand, func(int) bool { return true }, func(s []matching.Slot) error {
			all = append(all, s)
			sent := make([]float64, n*n)
			for _, slot := range s {
				for u, v := range slot.Match {
					if v >= 0 {
						sent[u*n+v] += slot.Sent[u]
					}
				}
			}
			for i, row := range demand {
				for j, d := range row {
					if i != j && math.Abs(sent[i*n+j]-d) > 1e-9*d {
						t.Fatalf("n=%d: %v from %d to %d, want %v", n, sent[i*n+j], i, j, d)
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, delay := range []float64{0, 0.1, 1, 5, 30, 1000} {
			best, err := matching.BestSlots(context.Background(), demand, delay)
			if err != nil {
				t.Fatal(err)
			}
			least := math.Inf(1)
			for _, s := range all {
				least = min(least, matching.SlotsTime(s, delay))
			}
			if got := matching.SlotsTime(best, delay); got != least {
				t.Errorf("n=%d, delay %v: %v, the best division takes %v", n, delay, got, least)
			}
		}
	}
}

// TestEachDivisionEnds: the iteration ends when further slots are useless, and when the caller
// stops it.
func TestEachDivisionEnds(t *testing.T) {
	demand := [][]float64{{0, 3, 1, 2}, {1, 0, 5, 1}, {2, 2, 0, 1}, {1, 1, 4, 0}}
	count := 0
	visit := func(s []matching.Slot) error {
		count++
		if len(s) > 3 {
			t.Errorf("%d slots", len(s))
		}
		return nil
	}
	if err := matching.EachDivision(context.Background(), demand, func(slots int) bool { return slots <= 3 }, visit); err != nil || count == 0 {
		t.Errorf("%d divisions, %v", count, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := matching.EachDivision(ctx, demand, func(int) bool { return true }, visit); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want that it was cancelled", err)
	}
}
