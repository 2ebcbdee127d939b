package islands

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestLanesCarryTheSame: however items are divided over the places of islands, each item occurs
// exactly once, and every place has the same bytes.
func TestLanesCarryTheSame(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 1))
	for range 200 {
		places := 1 + random.IntN(8)
		var items []parcel
		total := 0.0
		for i := range places {
			for j := range places {
				if random.IntN(3) > 0 {
					items = append(items, parcel{i, j, math.Exp(30 * random.Float64())})
					total += items[len(items)-1].bytes
				}
			}
		}
		for _, prefer := range []int{bySource, byTarget, evenly} {
			sums, sent := make([]float64, len(items)), make([]float64, places)
			for _, l := range lanes(items, places, prefer) {
				sums[l.item] += l.share
				sent[l.place] += l.share * items[l.item].bytes
			}
			for i, sum := range sums {
				if math.Abs(sum-1) > 1e-9 {
					t.Fatalf("%d places, preference %d: item %d is there %v times", places, prefer, i, sum)
				}
			}
			for p, bytes := range sent {
				if math.Abs(bytes-total/float64(places)) > 1e-9*total {
					t.Fatalf("%d places, preference %d: place %d has %v of %v", places, prefer, p, bytes, total)
				}
			}
		}
	}
}
