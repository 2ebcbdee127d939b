package cast

import (
	"fmt"
	"math"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/planner/joint/digit"
	"github.com/lightpath-net/lightpath/planner/joint/jointtest"
	"github.com/lightpath-net/lightpath/units"
)

// On two-way circuits a root has a child at every port. Broadcasts and reductions down such trees
// are correct and take the predicted time. None is slower than one step around a ring both ways,
// or one step down the lowest tree.
func TestWideTreesDeliver(t *testing.T) {
	for i, n := range []int{4, 5, 8, 9, 12, 27, 30, 47, 112} {
		for ports := 2; ports <= 4; ports++ {
			for j, size := range []units.Bytes{units.KiB, 32 * units.KiB, units.MiB} {
				if (i+ports+j)%2 > 0 && !samples.Every() {
					continue // in turn
				}
				for _, delay := range []units.Duration{units.Microsecond, 100 * units.Microsecond} {
					t.Run(fmt.Sprintf("n=%d/ports=%d/%v/%v", n, ports, size, delay), func(t *testing.T) {
						r := jointtest.Request(collective.Broadcast, n, ports, size)
						r.Fabric.Duplex, r.Fabric.Reconfig.Base = true, delay
						m := digit.NewMachine(&r.Fabric, ports, n)
						s := digit.NewSearch(digit.Question{
							Machine: m, Limits: digit.Limits{Changes: digit.AnyChanges}, Keep: 1, Nodes: n, Bytes: float64(size),
							Stopped: func() bool { return false },
						})
						best := math.Inf(1)
						for _, find := range []func(*digit.Search, int, float64) []cast{treeCasts, relayCasts} {
							for _, c := range find(s, n, float64(size)) {
								l := c.Build()
								jointtest.Check(t, jointtest.PlanOf(t, &r, l.Stages, l.Space), c.Time)
								back := r
								back.Collective = &collective.Collective{Op: collective.RootReduce, Nodes: n}
								jointtest.Check(t, jointtest.PlanOf(t, &back, Reversed(l), l.Space), c.Time)
								best = min(best, c.Time)
							}
						}
						arm := float64(n / 2)
						ring := m.Alpha + m.Delta*arm + m.PerByte*float64(size)*arm/float64(ports/2)
						hops, reached, level := 0, 1, ports
						for reached < n {
							hops, reached, level = hops+1, reached+level, level*(ports-1)
						}
						copies := math.Ceil(float64(n-1) / float64(ports))
						tree := m.Alpha + m.Delta*float64(hops) + m.PerByte*float64(size)*copies
						if best > min(ring, tree)*(1+1e-9) {
							t.Errorf("%v ns, want at most %v", best, min(ring, tree))
						}
					})
				}
			}
		}
	}
}
