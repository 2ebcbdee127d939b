package pass

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged/pool"
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
	"github.com/lightpath-net/lightpath/planner/staged/stagedtest"
	"github.com/lightpath-net/lightpath/units"
)

// A pass prunes only what cannot win: with the best time as its limit it finds the best schedule,
// and below that it reports that there is none, with a lower bound on the best. The lower bounds
// of steps on any circuits and on a candidate hold.
func TestAPassWithinALimitLosesNothing(t *testing.T) {
	left := 0
	for _, c := range []struct {
		op   collective.Op
		name string
	}{
		{collective.AllReduce, "double-binary-tree"}, {collective.AllReduce, "rabenseifner"}, {collective.AllReduce, "recursive-doubling"},
		{collective.Broadcast, "binomial"}, {collective.Broadcast, "binary"}, {collective.Gather, "binomial"}, {collective.AllToAll, "bruck-index"},
	} {
		for _, n := range []int{5, 8, 12} {
			for ports := 1; ports <= 3; ports++ {
				delays := []string{"100ns", "10us", "per-port:500ns+100ns"}
				if n == 12 {
					delays = append(delays, "1s") // nothing changes
				}
				for i, delay := range delays {
					if (i+ports)%2 > 0 && !samples.Every() {
						continue // in turn
					}
					f := fabric.Default()
					f.Nodes, f.Ports, f.Reconfig = n, ports, stagedtest.Reconfig(t, delay)
					r := stagedtest.Request(t, f, c.op, c.name, units.MiB)
					where := fmt.Sprintf("%s %s, %d nodes, %d ports, %s", c.op, c.name, n, ports, delay)
					find := func(limit float64) (*Schedule, *pricing.Workload, *pool.Pool, error) {
						w := pricing.NewWorkload(&r, r.Collective.Steps)
						p, err := tailoredPool(t.Context(), &r, w)
						if err != nil {
							t.Fatal(where, err)
						}
						s, err := searchBy(t.Context(), &r, Problem{Work: w, Pool: p.Candidates}, passWithin(limit))
						return s, w, p, err
					}
					best, w, p, err := find(math.Inf(1))
					if err != nil {
						t.Fatal(where, err)
					}
					for i := range w.Classes {
						for _, c := range p.Candidates {
							cost, _, err := w.Cost(t.Context(), c, i)
							fresh := *c
							fresh.Known = pricing.Judgements{}
							if least := w.LeastOn(&fresh, i, math.Inf(1)); err != nil || least > cost*(1+LimitTolerance) {
								t.Errorf("%s: class %d on %s takes %v, at least %v: %v", where, i, c.Topology().Name(), cost, least, err)
							}
						}
					}
					// With some slack, other staying schedules are given up for the best.
					for _, slack := range []float64{1, 1.5} {
						again, _, _, err := find(best.Total * slack)
						if err != nil || again.Total != best.Total || changesOf(again) != changesOf(best) {
							t.Fatalf("%s: %v with %d changes, within %v times that limit %v: %v", where, best.Total, changesOf(best), slack, again, err)
						}
						for i, c := range best.Choice {
							if !c.Same(again.Choice[i]) {
								t.Errorf("%s: step %d is on %s, within %v times that limit on %s", where, i+1, c.Topology().Name(), slack, again.Choice[i].Topology().Name())
							}
						}
					}
					var beyond *planner.Beyond
					if _, _, _, err := find(best.Total * 0.7); errors.As(err, &beyond) {
						left++
						if float64(beyond.Least) > best.Total*(1+LimitTolerance) {
							t.Errorf("%s: at least %v, but %v", where, beyond.Least, best.Total)
						}
					}
				}
			}
		}
	}
	if left == 0 {
		t.Error("nothing is ever left out")
	}
}
