package pass

import (
	"fmt"
	"math"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
	"github.com/lightpath-net/lightpath/planner/staged/stagedtest"
	"github.com/lightpath-net/lightpath/units"
)

// The bound on the rest after every step is at most what the best schedule takes for it, with any
// limit, and at least the bound on any circuits. It is larger if steps have to change circuits or
// to go far.
func TestWhatIsLeftIsNoMoreThanTheBestTakes(t *testing.T) {
	more := 0
	for _, c := range []struct {
		op   collective.Op
		name string
	}{
		{collective.Broadcast, "binary:parts=5"}, {collective.RootReduce, "double-binary-tree:parts=4"}, {collective.Broadcast, "binomial"},
		{collective.AllReduce, "recursive-doubling"}, {collective.AllReduce, "double-binary-tree"},
	} {
		for _, n := range []int{5, 8, 13} {
			for _, delay := range []string{"100ns", "10us", "per-port:500ns+100ns"} {
				f := fabric.Default()
				f.Nodes, f.Ports, f.Reconfig = n, 1, stagedtest.Reconfig(t, delay)
				r := stagedtest.Request(t, f, c.op, c.name, units.MiB)
				where := fmt.Sprintf("%s %s, %d nodes, %s", c.op, c.name, n, delay)
				w := pricing.NewWorkload(&r, r.Collective.Steps)
				pool, err := tailoredPool(t.Context(), &r, w)
				if err != nil {
					continue // recursive doubling of so many
				}
				delays, err := newDelays(t.Context(), w, pool.Candidates)
				if err != nil {
					t.Fatal(where, err)
				}
				best, err := plain(t.Context(), func(int, int) {}, &Problem{Work: w, Pool: pool.Candidates, delay: delays})
				if err != nil {
					t.Fatal(where, err)
				}
				for _, slack := range []float64{1, 2} {
					fresh := pricing.NewWorkload(&r, r.Collective.Steps)
					again, err := tailoredPool(t.Context(), &r, fresh)
					if err != nil {
						t.Fatal(where, err)
					}
					p := prune{limit: best.Total * slack * (1 + LimitTolerance)}
					p.begin(fresh)
					left, err := p.leastLeft(t.Context(), &Problem{Work: fresh, Pool: again.Candidates, delay: delays})
					if err != nil {
						t.Fatal(where, err)
					}
					if left == nil {
						if delays.pair == nil {
							t.Errorf("%s: nothing is known of what is left", where)
						}
						continue
					}
					takes := 0.0 // from a step on
					for i := len(w.Steps) - 1; i >= 0; i-- {
						cost, _, err := w.Cost(t.Context(), best.Choice[i], w.ClassOf[i])
						if err != nil {
							t.Fatal(where, err)
						}
						if takes += cost; i+1 < len(w.Steps) && best.Choice[i] != best.Choice[i+1] {
							takes += delays.uniform
						}
						if left[i] > takes*(1+LimitTolerance) || left[i] < p.rest[i]*(1-LimitTolerance) {
							t.Errorf("%s: from step %d on %v is left at least, any circuits take %v, the best schedule %v", where, i+1, left[i], p.rest[i], takes)
						}
					}
					if !math.IsInf(left[0], 1) && left[0] > p.rest[0]*1.01 {
						more++
					}
				}
			}
		}
	}
	if more < 10 {
		t.Errorf("what is left is more than what any circuits take in %d cases only", more)
	}
}
