package search

import (
	"slices"
	"testing"
)

// The list has every image once, whether there are few or many.
func TestPathImagesAreAllOfThem(t *testing.T) {
	var found Images
	for _, n := range []int{5, fewImages - 1, fewImages, fewImages + 1, 3 * fewImages, 4} {
		rotate := make([]int32, n)
		for u := range rotate {
			rotate[u] = int32((u + 1) % n)
		}
		got := slices.Clone(found.Of([]int32{0, 2, 3}, [][]int32{rotate}))
		slices.SortFunc(got, slices.Compare)
		var want [][]int32
		for k := range int32(n) {
			want = append(want, []int32{k, (k + 2) % int32(n), (k + 3) % int32(n)})
		}
		if !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%d nodes: %v, want %v", n, got, want)
		}
	}
}
