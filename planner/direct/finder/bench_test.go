package finder_test

import (
	"context"
	"testing"

	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/planner/direct/finder"
)

// BenchmarkFind finds all sizes up to N, starting with nothing, and with only= just that size.
func BenchmarkFind(b *testing.B) {
	for _, c := range []struct {
		name        string
		first, last int
		degree      int
		two         bool
	}{
		{"d=4/N=2000", 2, 2000, 4, false},
		{"d=4/only=1024", 1024, 1024, 4, false},
		{"d=4/only=2000", 2000, 2000, 4, false},
		{"d=4/two-way/only=1024", 1024, 1024, 4, true},
		{"d=16/only=2000", 2000, 2000, 16, false},
		{"d=8/only=4000", 4000, 4000, 8, false},
		{"d=8/only=10000", 10000, 10000, 8, false},
		{"d=2/only=1000", 1000, 1000, 2, false},
		{"d=3/two-way/only=255", 255, 255, 3, true},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				f := finder.New(c.degree, finder.Options{Op: bfb.AllReduce, Bidirectional: c.two})
				for n := c.first; n <= c.last; n++ {
					if _, err := f.Frontier(context.Background(), n); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
