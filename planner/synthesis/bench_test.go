package synthesis

import (
	"context"
	"fmt"
	"testing"

	"github.com/lightpath-net/lightpath/units"
)

func BenchmarkExact(b *testing.B) {
	capped := recursiveDoubling(8, 2, 1, 3)
	capped.CapTheta = true
	far := recursiveDoubling(8, 2, 1, 3)
	far.Delta = 100 * units.Nanosecond
	duplex := swing(8, 2, 1, 3)
	duplex.Duplex = true
	for _, c := range []struct {
		name string
		p    Problem
	}{
		{"swing8-1port-2steps", swing(8, 1, 2, 3)},
		{"swing16-1port-4steps", swing(16, 1, 1, 4)},
		{"doubling7-1port-3steps", recursiveDoubling(7, 1, 1, 3)},
		{"doubling8-2ports-3steps-capped", capped},
		{"doubling7-2ports-3steps", recursiveDoubling(7, 2, 1, 3)},
		{"doubling8-2ports-3steps", recursiveDoubling(8, 2, 1, 3)},
		{"doubling8-2ports-3steps-delta", far},
		{"swing8-2ports-3steps", swing(8, 2, 1, 3)},
		{"swing8-2ports-3steps-duplex", duplex},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				r, err := Exact(context.Background(), c.p, Options{})
				if err != nil || !r.Proven {
					b.Fatal(r, err)
				}
				b.ReportMetric(float64(r.Evaluations), "evaluations")
			}
		})
	}
}

func BenchmarkSearch(b *testing.B) {
	for _, n := range []int{16, 64} {
		for _, c := range []struct {
			name   string
			p      Problem
			effort int
		}{
			{"swing-1port", swing(n, 1, 2, 4), 2000},
			{"swing-2ports", swing(n, 2, 1, 3), 100},
			{"doubling-2ports", recursiveDoubling(n, 2, 1, 4), 100},
		} {
			b.Run(fmt.Sprintf("%s/n=%d/effort=%d", c.name, n, c.effort), func(b *testing.B) {
				for b.Loop() {
					r, err := Search(context.Background(), c.p, nil, Options{Effort: c.effort})
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(float64(r.Cost/r.Bound)-1, "gap")
				}
			})
		}
	}
}

func BenchmarkRelaxation(b *testing.B) {
	for _, n := range []int{8, 16, 64} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			iv := prepared(b, recursiveDoubling(n, 2, 1, 3))
			count := iv.count()
			for b.Loop() {
				r := newRelaxation(iv, arcsUnder(n, iv.automorphisms()), count.bytes)
				r.run(context.Background())
				b.ReportMetric(r.bound/message, "beta*m")
			}
		})
	}
}
