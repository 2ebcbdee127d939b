package matching

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Pairs that share one node get the same matchings as from the general colouring.
func TestMatchingsOfOneRootAreThoseOfTheColouring(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 3))
	for range 50 {
		n := 2 + rng.IntN(20)
		var pairs [][2]int
		for range 1 + rng.IntN(2*n) {
			pair := [2]int{3 % n, rng.IntN(n)}
			pairs = append(pairs, pair)
		}
		if rng.IntN(2) == 0 {
			for i := range pairs {
				pairs[i][0], pairs[i][1] = pairs[i][1], pairs[i][0]
			}
		}
		if got, want := Divide(n, pairs), coloured(n, pairs, len(pairs)); !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%v: %v, not %v", pairs, got, want)
		}
	}
}
