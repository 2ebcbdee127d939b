package islands_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/islands"
	"github.com/lightpath-net/lightpath/planner/portfolio"
	"github.com/lightpath-net/lightpath/units"
)

// TestNoWayToCarryParcelsBeatsItsLeast: whatever the demand is, no way to carry parcels takes
// less than its lower bound, and some come near it. A lifted plan is as fast as the fastest of
// the ways that are always tried, unless that is not below the limit.
func TestNoWayToCarryParcelsBeatsItsLeast(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(31, 7))
	near, lifts := 0, 0
	for i := range samples.Draws(10, 20) {
		f := inIslands(0, 1+random.IntN(2), 2+random.IntN(3))
		nodes := 2 + random.IntN(4)
		f.Nodes = nodes * f.Island.Size
		f.Island.Bandwidth = []units.Bandwidth{800, 1600, 7200}[random.IntN(3)] * units.Gbps
		f.Reconfig.Base = []units.Duration{0, units.Microsecond, 100 * units.Microsecond}[random.IntN(3)]
		f.Alpha = units.Duration(random.IntN(3)) * units.Microsecond
		demand := make(collective.Demand, f.Nodes)
		for u := range demand {
			demand[u] = make([]int64, f.Nodes)
			for v := range demand[u] {
				if u != v && random.IntN(4) > 0 {
					demand[u][v] = random.Int64N(1 << (10 + random.IntN(14)))
				}
			}
		}
		for _, c := range islands.Cores(&f) {
			c, ok := c.Carrying(&f, demand)
			if !ok {
				continue
			}
			s := search()
			r := &portfolio.Request{Operations: []collective.Operation{c.Operation(&f, collective.Operation{Op: collective.AllToAll})}, Fabric: c.Fabric}
			core, err := r.Fastest(t.Context(), s.Planners().Best(), s)
			if err != nil {
				t.Fatalf("%d: a core of %d: %v", i, c.Span, err)
			}
			ways, err := islands.EveryWay(t.Context(), core, c, &f)
			if errors.Is(err, planner.ErrInfeasible) {
				continue
			}
			if err != nil {
				t.Fatalf("%d: a core of %d: %v", i, c.Span, err)
			}
			lifts++
			fastest := ways[0].Time
			for _, w := range ways {
				if planner.Above(w.Least, w.Time) {
					t.Errorf("%d: a core of %d: %v, but at least %v", i, c.Span, w.Time, w.Least)
				}
				if w.Least > 0.99*w.Time {
					near++
				}
				fastest = min(fastest, w.Time)
			}
			size := demand.Size()
			made, err := islands.Lift(t.Context(), core, c, &f, size, 0)
			if err != nil {
				t.Fatalf("%d: a core of %d: %v", i, c.Span, err)
			}
			total := made.Cost.Total()
			if few := min(ways[0].Time, ways[2].Time, ways[4].Time, ways[5].Time); planner.Above(total, few) || planner.Above(fastest, total) {
				t.Errorf("%d: a core of %d is lifted in %v, but ways take %v and all of them %v", i, c.Span, total, few, fastest)
			}
			if _, err := islands.Lift(t.Context(), core, c, &f, size, total/2); !errors.Is(err, planner.ErrBeyond) && err != nil {
				t.Errorf("%d: a core of %d within half the time: %v", i, c.Span, err)
			}
			if made, err := islands.Lift(t.Context(), core, c, &f, size, total*1.001); err != nil || made.Cost.Total() != total {
				t.Errorf("%d: a core of %d within a little more than its time: %v", i, c.Span, err)
			}
		}
	}
	if lifts == 0 || near < lifts {
		t.Errorf("of %d lifts, %d ways come near to their least", lifts, near)
	}
}
