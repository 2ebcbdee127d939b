package staged

import (
	"context"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner/staged/pool"
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
	"github.com/lightpath-net/lightpath/planner/staged/stagedtest"
	"github.com/lightpath-net/lightpath/units"
)

// sizeOf varies the message from one iteration to the next, 4 KiB to 1 GiB.
func sizeOf(i int) units.Bytes { return 4 * units.KiB << (i % 19) }

// Only the search for the schedule; naive is HARVEST's Algorithm 1 as printed, with Eq. 8 as its
// inner solution.
func BenchmarkHarvestRecursiveDoubling(b *testing.B) {
	f := fabric.Default()
	for _, size := range []struct {
		name string
		n    int
	}{{"n=64", 64}, {"n=1024", 1024}} {
		b.Run(size.name, func(b *testing.B) {
			b.ReportAllocs()
			search := newRecursiveDoubling(collective.AllReduce, size.n)
			for i := 0; b.Loop(); i++ {
				search.search(f.Alpha, f.Delta, f.Reconfig.Base, f.Bandwidth, sizeOf(i))
			}
		})
		b.Run(size.name+"/naive", func(b *testing.B) {
			b.ReportAllocs()
			offsets := offsetsOf(collective.AllReduce, size.n)
			for i := 0; b.Loop(); i++ {
				l := stagedtest.Listing{
					Steps:          len(offsets),
					CompletionTime: stagedtest.DoublingTime(offsets, f.Alpha, f.Delta, f.Bandwidth, sizeOf(i)),
					Reconfig:       float64(f.Reconfig.Base.Time()),
				}
				l.Best()
			}
		})
	}
}

// A whole call of the planner: pool, search, routes, bound and baselines; naive is
// the search of Algorithm 1 over the table of all steps on all rings.
func BenchmarkHarvestShift(b *testing.B) {
	for _, size := range []struct {
		name string
		n    int
	}{{"n=64", 64}, {"n=256", 256}, {"n=1024", 1024}} {
		b.Run(size.name, func(b *testing.B) {
			f := fabric.Default()
			f.Nodes = size.n
			r := stagedtest.Request(b, f, collective.AllToAll, "shift", units.MiB)
			harvest := named(b, "harvest")
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				r.Size = sizeOf(i)
				if _, err := harvest.Plan(context.Background(), r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("n=64/naive", func(b *testing.B) {
		f := fabric.Default()
		r := stagedtest.Request(b, f, collective.AllToAll, "shift", units.MiB)
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			r.Size = sizeOf(i)
			w := pricing.NewWorkload(&r, r.Collective.Steps)
			p, err := pool.Harvest(context.Background(), &r, w)
			if err != nil {
				b.Fatal(err)
			}
			cost := make([][]float64, len(w.Steps))
			for step := range cost {
				cost[step] = make([]float64, len(p.Candidates))
				for j, c := range p.Candidates {
					if cost[step][j], _, err = w.Cost(context.Background(), c, w.ClassOf[step]); err != nil {
						b.Fatal(err)
					}
				}
			}
			l := stagedtest.Listing{Steps: len(cost), CompletionTime: stagedtest.PoolTime(cost), Reconfig: float64(f.Reconfig.Base.Time())}
			l.Best()
		}
	})
}
