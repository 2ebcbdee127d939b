package joint

import (
	"fmt"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/joint/jointtest"
	"github.com/lightpath-net/lightpath/units"
)

// BenchmarkJoint measures only the search: nothing is laid out. With several ports it first
// counts what networks carry, which depends on neither sizes nor times; "known" is the search if
// that is remembered, as it is between the requests of a sweep.
func BenchmarkJoint(b *testing.B) {
	for _, n := range []int{64, 1024} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			r := jointtest.Request(collective.AllReduce, n, 1, 4*units.MiB)
			b.ReportAllocs()
			for range b.N {
				if len(options(&r, free, never)) == 0 {
					b.Fatal("nothing found")
				}
			}
		})
		for _, ports := range []int{2, 4, 8} {
			b.Run(fmt.Sprintf("n=%d/ports=%d", n, ports), func(b *testing.B) {
				r := jointtest.Request(collective.AllReduce, n, ports, 4*units.MiB)
				for range b.N {
					if len(options(&r, free, never)) == 0 {
						b.Fatal("nothing found")
					}
				}
			})
			b.Run(fmt.Sprintf("n=%d/ports=%d/known", n, ports), func(b *testing.B) {
				r := jointtest.Request(collective.AllReduce, n, ports, 4*units.MiB)
				r.Kept = planner.NewMemory()
				options(&r, free, never)
				b.ResetTimer()
				for range b.N {
					if len(options(&r, free, never)) == 0 {
						b.Fatal("nothing found")
					}
				}
			})
		}
	}
}

// never is the stopped function of a search that goes on.
func never() bool { return false }

// BenchmarkManyGPUs finds, prices and verifies plans of 65536 GPUs by digits on networks without
// symmetry.
func BenchmarkManyGPUs(b *testing.B) {
	for _, op := range []collective.Op{collective.AllGather, collective.AllReduce} {
		for _, duplex := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/ports=4/duplex=%v", op, duplex), func(b *testing.B) {
				r := jointtest.Request(op, 1<<16, 4, 64*units.MiB)
				r.Fabric.Duplex = duplex
				b.ReportAllocs()
				for range b.N {
					p, err := New().Plan(b.Context(), r)
					if err != nil {
						b.Fatal(err)
					}
					if report, err := verify.Plan(b.Context(), p); err != nil || !report.OK {
						b.Fatal(report, err)
					}
				}
			})
		}
	}
}
