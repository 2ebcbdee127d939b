package cast

import (
	"math"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/joint/digit"
	"github.com/lightpath-net/lightpath/planner/joint/jointtest"
	"github.com/lightpath-net/lightpath/units"
)

func scatterSearch(r *planner.Request) *digit.Search {
	return digit.NewSearch(digit.Question{
		Machine: digit.NewMachine(&r.Fabric, r.Fabric.Ports, r.Fabric.Nodes), Limits: digit.Limits{Changes: digit.AnyChanges}, Keep: 9,
		Nodes: r.Fabric.Nodes, Bytes: float64(r.Size), Stopped: func() bool { return false },
	})
}

// Scatters in groups are correct and take the predicted time with every number of reconfigurations.
func TestGroupsAreCorrectAndTakeThePredictedTime(t *testing.T) {
	for i, n := range []int{2, 3, 5, 8, 13, 24, 33, 64, 100} {
		for ports := 1; ports <= min(5, n-1); ports++ {
			for mode := range 4 {
				if (i+ports+mode)%2 > 0 && !samples.Every() {
					continue // in turn
				}
				r := jointtest.Request(collective.Scatter, n, ports, units.MiB+3)
				r.Fabric.Duplex, r.Fabric.CapTheta = mode%2 == 1, mode == 3
				r.Fabric.Reconfig.Base = units.Microsecond
				if mode == 2 {
					r.Fabric.Forwarding = fabric.StoreAndForward
				}
				s := scatterSearch(&r)
				for _, c := range Scatters(s, n, float64(r.Size)) {
					laid := c.Build()
					p := jointtest.PlanOf(t, &r, laid.Stages, laid.Space)
					jointtest.Check(t, p, c.Time)
					if p.Reconfigurations != c.Changes {
						t.Errorf("%d reconfigurations, %d predicted", p.Reconfigurations, c.Changes)
					}
				}
			}
		}
	}
}

// Of all sequences of groups, priced as plans, none is faster.
func TestGroupsAgainstAllSequences(t *testing.T) {
	for _, n := range []int{5, 8, 12, 17} {
		for ports := 1; ports <= 3; ports++ {
			for _, duplex := range []bool{false, true} {
				for _, delay := range []units.Duration{100 * units.Nanosecond, 3 * units.Microsecond} {
					r := jointtest.Request(collective.Scatter, n, ports, 256*units.KiB)
					r.Fabric.Duplex, r.Fabric.Reconfig.Base = duplex, delay
					s := scatterSearch(&r)
					least := math.Inf(1)
					var try func(steps []dealing, left int)
					try = func(steps []dealing, left int) {
						if left == 1 {
							laid := layGroups(s, n, steps)
							p := &plan.Plan{
								Fabric: r.Fabric, Stages: laid.Stages,
								Collective: plan.Collective{Op: collective.Scatter, Algorithm: "joint", Size: r.Size, Space: laid.Space},
							}
							if err := p.Price(); err != nil {
								t.Fatal(err)
							}
							least = min(least, float64(p.Cost.Total()))
							return
						}
						for members := 2; members <= left; members++ {
							for _, d := range []dealing{{members, 1, false}, {members, 1, true}, {members, ports, false}} {
								if _, ok := d.of(left, s); ok {
									try(append(steps[:len(steps):len(steps)], d), (left+members-1)/members)
								}
							}
						}
					}
					try(nil, n)
					if got := Scatters(s, n, float64(r.Size))[0].Time; got > least*(1+1e-9) {
						t.Errorf("%d GPUs, %d ports, two-way %v, %v: %v, another takes %v", n, ports, duplex, delay, got, least)
					}
				}
			}
		}
	}
}
