package staged

import (
	"context"
	"math"
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

// closedTolerance is for sums of at most a few hundred float64 values.
const closedTolerance = 1e-12

// overDelays searches HARVEST's pool for each delay in turn, which it sets in r.Fabric. The times
// of steps do not depend on the delay, so the pool is built and priced once.
func overDelays(t testing.TB, r *planner.Request, delays []units.Duration, check func(best *pass.Schedule)) {
	t.Helper()
	w := pricing.NewWorkload(r, r.Collective.Steps)
	p, err := pool.Harvest(context.Background(), r, w)
	if err != nil {
		t.Fatal(err)
	}
	for _, delay := range delays {
		r.Fabric.Reconfig.Base = delay
		best, err := pass.Search(t.Context(), r, pass.Problem{Work: w, Pool: p.Candidates})
		if err != nil {
			t.Fatal(err)
		}
		check(best)
	}
}

// On powers of the radix, the pool finds schedules with the time and the number of changes of
// ReTri's closed form (subring), over sizes and delays at which 0, some and all changes are best.
func TestThePoolHasTheSubrings(t *testing.T) {
	sizes := []units.Bytes{units.MiB, units.KiB, 64 * units.MiB}
	delays := []units.Duration{0, 100 * units.Nanosecond, 2500 * units.Nanosecond, 20 * units.Microsecond,
		100 * units.Microsecond, 300 * units.Microsecond, units.Millisecond, 5 * units.Millisecond}
	for _, c := range []struct {
		op        collective.Op
		algorithm string
		radix     int
		share     float64
		phases    []int
	}{
		{collective.AllToAll, "retri", 3, 1. / 3, []int{1, 2, 3, 4, 5}},
		{collective.AllToAll, "mirrored-bruck", 2, 1. / 4, []int{2, 3, 4, 5, 6, 7}},
		{collective.AllReduce, "trivance", 3, 1, []int{1, 3}},
	} {
		for _, phases := range c.phases {
			closed, err := subring.New(c.radix, phases, c.share)
			if err != nil {
				t.Fatal(err)
			}
			n := int(math.Pow(float64(c.radix), float64(phases)) + 0.5)
			for i, size := range sizes {
				if n > 100 && i > 0 {
					break
				}
				r := stagedtest.Request(t, stagedtest.ScaleUp(n, 0), c.op, c.algorithm, size)
				overDelays(t, &r, delays, func(best *pass.Schedule) {
					count, total := closed.Search(subring.TimingOf(&r.Fabric), size)
					if want := float64(total); !stagedtest.Near(best.Total, want, closedTolerance) || changes(best) != count {
						t.Errorf("%s n=%d %v %v: pool %v with %d changes, closed form %v with %d",
							c.algorithm, n, size, r.Fabric.Reconfig, best.Total, changes(best), want, count)
					}
				})
			}
		}
	}
}
