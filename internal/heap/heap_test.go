package heap_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/internal/heap"
)

func ExampleHeap() {
	h := heap.New(func(a, b *string) bool { return len(*a) < len(*b) })
	for _, word := range []string{"circuit", "port", "switch"} {
		h.Push(word)
	}
	for h.Len() > 0 {
		fmt.Print(h.Pop(), " ")
	}
	// Output: port switch circuit
}

// A heap gives out what a sorted list would, while values come and go.
func TestAHeapGivesOutTheLeast(t *testing.T) {
	for seed := range uint64(100) {
		random := rand.New(rand.NewPCG(seed, 1))
		h := heap.New(func(a, b *int) bool { return *a < *b })
		var sorted []int
		for range 200 {
			switch {
			case random.IntN(100) == 0:
				h.Clear()
				sorted = nil
			case len(sorted) > 0 && random.IntN(5) < 2:
				if got := h.Pop(); got != sorted[0] {
					t.Fatalf("seed %d: %d, want %d", seed, got, sorted[0])
				}
				sorted = sorted[1:]
			default:
				x := random.IntN(50)
				h.Push(x)
				at, _ := slices.BinarySearch(sorted, x)
				sorted = slices.Insert(sorted, at, x)
			}
			if h.Len() != len(sorted) {
				t.Fatalf("seed %d: %d values, want %d", seed, h.Len(), len(sorted))
			}
		}
	}
}
