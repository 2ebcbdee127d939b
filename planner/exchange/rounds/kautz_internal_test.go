package rounds

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// The counting sort gives the same order as a stable comparison sort.
func TestOrderedIsAStableSort(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for range 50 {
		limit := 1 + random.IntN(8)
		list := make([][2]int, random.IntN(40))
		for i := range list {
			list[i] = [2]int{random.IntN(limit), i}
		}
		want := slices.Clone(list)
		slices.SortStableFunc(want, func(a, b [2]int) int { return cmp.Compare(a[0], b[0]) })
		if got := ordered(list, limit, func(e *[2]int) int { return e[0] }); !slices.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	}
}
