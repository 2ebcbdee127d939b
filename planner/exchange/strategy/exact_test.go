package strategy

import (
	"context"
	"errors"
	"testing"

	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/strategy/powers"
)

// TestHopSetsAreAllOfThem compares with choosing any sets.
func TestHopSetsAreAllOfThem(t *testing.T) {
	for _, c := range []struct{ elements, d, extra int }{{4, 2, 0}, {5, 2, 2}, {6, 3, 2}, {5, 1, 3}} {
		sum := model.LoadHops(c.elements+1, 1, c.d) + c.extra
		got := 0
		for sets := range hopSets(c.elements, c.d, sum) {
			count, total := 0, 0
			for i, set := range sets {
				if i > 0 && set > sets[i-1] {
					t.Fatalf("%v is not in descending order", sets)
				}
				for h := range 64 {
					if set>>h&1 == 1 {
						count, total = count+1, total+h
					}
				}
			}
			if len(sets) != c.d || count != c.elements || total != sum {
				t.Fatalf("%b: %d elements with sum %d, want %d with %d", sets, count, total, c.elements, sum)
			}
			got++
		}
		if want := countHopSets(c.elements, c.d, sum, 1<<(c.elements+c.extra+1)); got != want {
			t.Errorf("%d elements in %d sets with sum %d: %d ways, want %d", c.elements, c.d, sum, got, want)
		}
	}
}

// countHopSets counts descending sequences of d sets below a limit, by brute force.
func countHopSets(elements, d, sum, limit int) int {
	if d == 0 {
		if elements == 0 && sum == 0 {
			return 1
		}
		return 0
	}
	count := 0
	for set := 2; set < limit; set += 2 {
		size, total := 0, 0
		for h := 1; 1<<h <= set; h++ {
			if set>>h&1 == 1 {
				size, total = size+1, total+h
			}
		}
		if size <= elements && total <= sum {
			count += countHopSets(elements-size, d-1, sum-total, set+1)
		}
	}
	return count
}

// A search that would take for ever ends when its context does: all of it, not just one branch.
func TestTheCompleteSearchStopsWhenAsked(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	sets := make([]uint64, 16) // 31 others in 16 permutations of one or two hops each
	for i := range sets {
		sets[i] = 0b110
	}
	sets[15] = 0b10
	if _, err := powers.Whole(ctx, 32, sets); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want that it was cancelled", err)
	}
}
