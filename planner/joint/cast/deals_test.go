package cast

import (
	"fmt"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/planner/joint/deals"
	"github.com/lightpath-net/lightpath/planner/joint/digit"
	"github.com/lightpath-net/lightpath/planner/joint/jointtest"
	"github.com/lightpath-net/lightpath/units"
)

// Stored deals make correct broadcasts, and correct reductions in reverse, and take the predicted
// time: with more ports than the deal has circuits, with store-and-forward, and with capped pairs.
func TestDealsBroadcastAndReduce(t *testing.T) {
	list := samples.Few(12, deals.All())
	for i, d := range list {
		for j, mode := range []string{"", "wide", "stores", "capped"} {
			if (i+j)%4 > 0 && mode != "" && !samples.Every() {
				continue // in turn
			}
			t.Run(fmt.Sprintf("%d-%d-%v-%s", d.Nodes, d.Degree, d.TwoWay, mode), func(t *testing.T) {
				size := []units.Bytes{64 * units.KiB, units.MiB, 1000}[i%3]
				r := jointtest.Request(collective.Broadcast, d.Nodes, d.Degree, size)
				r.Fabric.Duplex, r.Fabric.CapTheta = d.TwoWay, mode == "capped"
				switch mode {
				case "wide":
					r.Fabric.Ports = 2*d.Degree + 1
				case "stores":
					r.Fabric.Forwarding = fabric.StoreAndForward
				}
				s := digit.NewSearch(digit.Question{
					Machine: digit.NewMachine(&r.Fabric, r.Fabric.Ports, d.Nodes), Limits: digit.Limits{Changes: digit.AnyChanges},
					Keep: 1, Nodes: d.Nodes, Bytes: float64(size), Stopped: never,
				})
				all := dealCasts(s, d.Nodes, float64(size))
				if len(all) == 0 {
					t.Error("no broadcast")
				}
				for _, c := range all {
					l := c.Build()
					jointtest.Check(t, jointtest.PlanOf(t, &r, l.Stages, l.Space), c.Time)
					back := r
					back.Collective = &collective.Collective{Op: collective.RootReduce, Algorithm: "joint", Nodes: d.Nodes}
					jointtest.Check(t, jointtest.PlanOf(t, &back, Reversed(l), collective.SpaceOf(collective.RootReduce, d.Nodes, l.Space.Parts)), c.Time)
				}
			})
		}
	}
}
