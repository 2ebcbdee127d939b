package finder_test

import (
	"context"
	"testing"

	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/planner/direct/finder"
)

func BenchmarkFind(b *testing.B) {
	b.Run("d=4/N=2000", func(b *testing.B) {
		for b.Loop() {
			f := finder.New(4, finder.Options{Op: bfb.AllReduce})
			for n := 2; n <= 2000; n++ {
				if _, err := f.Frontier(context.Background(), n); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}
