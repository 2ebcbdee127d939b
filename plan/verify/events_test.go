package verify

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
)

// For each range, the events are those of every move's chunks in the range, whether its runs
// ascend or not.
func TestAscentListsEveryEventOnce(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		const total = 60
		moves := make([]move, 1+random.IntN(6))
		for i := range moves {
			moves[i].Transfer = &collective.Transfer{Src: i, Dst: i + 1}
			for range random.IntN(5) {
				r := collective.Run{First: random.IntN(total), Count: 1 + random.IntN(6), Stride: 1 + random.IntN(4)}
				if r.Last() < total {
					moves[i].Chunks = append(moves[i].Chunks, r)
				}
			}
			if random.IntN(3) > 0 {
				slices.SortFunc(moves[i].Chunks, func(a, b collective.Run) int { return a.First - b.First })
			}
		}
		a := newAscent(moves, spans{})
		for low := 0; low < total; {
			high := min(total, low+1+random.IntN(20))
			var want []event
			for i := range moves {
				for _, r := range moves[i].Chunks {
					for c := r.First; c <= r.Last(); c += r.Stride {
						if c >= low && c < high {
							want = append(want, event{chunk: int32(c - low), src: int32(i), dst: int32(i + 1), by: int32(i)})
						}
					}
				}
			}
			got, err := a.events(t.Context(), low, high, countEvents(moves, spans{}, low, high))
			if err != nil || !slices.Equal(got, want) {
				t.Fatalf("chunks %d to %d: %v, want %v: %v", low, high, got, want, err)
			}
			low = high
		}
	}
}
