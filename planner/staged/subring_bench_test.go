package staged

import (
	"context"
	"fmt"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged/pass"
	"github.com/lightpath-net/lightpath/planner/staged/pool"
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
	"github.com/lightpath-net/lightpath/planner/staged/stagedtest"
	"github.com/lightpath-net/lightpath/planner/staged/subring"
	"github.com/lightpath-net/lightpath/units"
)

// The search for the schedule alone: by Subring, and of HARVEST's pool, which is built
// first. 100 nodes are no power of the radix.
func BenchmarkSubring(b *testing.B) {
	for _, c := range []struct {
		algorithm string
		n         int
	}{{"retri", 81}, {"retri", 100}, {"retri", 243}, {"mirrored-bruck", 64}} {
		f := stagedtest.ScaleUp(c.n, 20*units.Microsecond)
		r := stagedtest.Request(b, f, collective.AllToAll, c.algorithm, units.MiB)
		name := fmt.Sprintf("%s/n=%d", c.algorithm, c.n)
		b.Run(name, func(b *testing.B) {
			s := closedFormOf(b, r.Collective)
			timing := subring.TimingOf(&f)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				s.Search(timing, sizeOf(i))
			}
		})
		b.Run(name+"/pool", func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				r.Size = sizeOf(i)
				w := pricing.NewWorkload(&r, r.Collective.Steps)
				p, err := pool.Harvest(context.Background(), &r, w)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := pass.Search(b.Context(), &r, pass.Problem{Work: w, Pool: p.Candidates}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// A whole call of the planner: with routes, bound and baselines.
func BenchmarkSubringPlan(b *testing.B) {
	for _, n := range []int{81, 243, 729} {
		r := stagedtest.Request(b, stagedtest.ScaleUp(n, 20*units.Microsecond), collective.AllToAll, "retri", units.MiB)
		plan := func(p planner.Planner) func(b *testing.B) {
			return func(b *testing.B) {
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					r.Size = sizeOf(i)
					if _, err := p.Plan(context.Background(), r); err != nil {
						b.Fatal(err)
					}
				}
			}
		}
		b.Run(fmt.Sprintf("retri/n=%d", n), plan(named(b, "harvest")))
		b.Run(fmt.Sprintf("retri/n=%d/pool", n), plan(strategy{name: "pool", choose: searchPool}))
	}
}
