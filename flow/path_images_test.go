package flow

import (
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/topology"
)

// Every image is there once, whether there are few of them or many.
func TestPathImagesAreAllOfThem(t *testing.T) {
	var found pathImages
	for _, n := range []int{5, fewImages - 1, fewImages, fewImages + 1, 3 * fewImages, 4} {
		rotate := make([]int32, n)
		for u := range rotate {
			rotate[u] = int32((u + 1) % n)
		}
		got := slices.Clone(found.of([]int32{0, 2, 3}, [][]int32{rotate}))
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

// BenchmarkSpread gives all pairs of a generalised Kautz graph the routes of their orbits.
func BenchmarkSpread(b *testing.B) {
	g := topology.GenKautz(4, 256)
	moves, err := g.Automorphisms(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	f := newFold(g, 1, moves)
	routes, err := shortestRoutes(b.Context(), g, f.reps)
	if err != nil {
		b.Fatal(err)
	}
	var all []Demand
	for u := range 256 {
		for v := range 256 {
			if u != v {
				all = append(all, Demand{Src: u, Dst: v, Amount: 1})
			}
		}
	}
	for b.Loop() {
		if _, err := f.spread(b.Context(), routes, all); err != nil {
			b.Fatal(err)
		}
	}
}
