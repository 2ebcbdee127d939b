package cast

import (
	"fmt"
	"math"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/joint/digit"
	"github.com/lightpath-net/lightpath/planner/joint/jointtest"
	"github.com/lightpath-net/lightpath/units"
)

// Broadcasts over digits, and the reductions that reverse them, are correct and take the
// predicted time. They are the best if rings are long and a reconfiguration costs less than their
// length.
func TestDigitsAreCorrectAndWin(t *testing.T) {
	won, turn := 0, 0
	for _, n := range []int{12, 18, 36, 64} {
		for ports := 1; ports <= 3; ports++ {
			for _, size := range []units.Bytes{64 * units.KiB, units.MiB, 16 * units.MiB} {
				for _, delay := range []units.Duration{100 * units.Nanosecond, 4 * units.Microsecond} {
					for _, mode := range []string{"", "duplex", "stores"} {
						if turn++; turn%2 > 0 && !samples.Every() {
							continue
						}
						r := jointtest.Request(collective.Broadcast, n, ports, size)
						r.Fabric.Duplex, r.Fabric.Reconfig.Base = mode == "duplex", delay
						if mode == "stores" {
							r.Fabric.Forwarding = fabric.StoreAndForward
						}
						s := searchOf(&r)
						casts := digitCasts(s, math.Inf(1))
						if len(casts) > 0 && All(s, n, float64(size))[0].Family == digit.Digits {
							won += len(casts)
						}
						for _, c := range casts {
							l := c.Build()
							jointtest.Check(t, jointtest.PlanOf(t, &r, l.Stages, l.Space), c.Time)
							back := r
							back.Collective = &collective.Collective{Op: collective.RootReduce, Nodes: n}
							space := l.Space
							jointtest.Check(t, jointtest.PlanOf(t, &back, Reversed(l), space), c.Time)
						}
					}
				}
			}
		}
	}
	if won < samples.Draws(10, 20) {
		t.Errorf("they win %d times", won)
	}
}

func searchOf(r *planner.Request) *digit.Search {
	return digit.NewSearch(digit.Question{
		Machine: digit.NewMachine(&r.Fabric, r.Fabric.Ports, r.Fabric.Nodes), Limits: digit.Limits{Changes: digit.AnyChanges},
		Keep: 1, Nodes: r.Fabric.Nodes, Bytes: float64(r.Size), Stopped: never,
	})
}

// The search finds the best plan within a limit on reconfigurations: a lower limit never helps.
func TestDigitsKeepTheLimitOnChanges(t *testing.T) {
	r := jointtest.Request(collective.Broadcast, 64, 1, units.MiB)
	r.Fabric.Reconfig.Base = 2 * units.Microsecond
	before := math.Inf(1)
	for changes := 0; changes <= 6; changes++ {
		s := searchOf(&r)
		s.Changes = changes
		for _, c := range digitCasts(s, math.Inf(1)) {
			if l := c.Build(); len(l.Stages)-1 > changes || c.Changes > changes {
				t.Errorf("%d changes, %d allowed", len(l.Stages)-1, changes)
			}
			if c.Time > before*(1+1e-9) {
				t.Errorf("%d changes take %v, fewer %v", changes, c.Time, before)
			}
			before = c.Time
		}
	}
	if math.IsInf(before, 1) {
		t.Error("none found")
	}
}

// Chunks are cut evenly, and moved.
func ExampleLaid() {
	fmt.Println(finer(collective.Every(1, 2, 2), 3, 10), finer(collective.Every(0, 1, 2), 3, 0))
	// Output: [{13 3 1} {19 3 1}] [{0 6 1}]
}
