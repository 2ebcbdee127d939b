package standin_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/joint"
	"github.com/lightpath-net/lightpath/units"
)

// A ring of eight has one circuit with a quarter of the bandwidth. Planner joint, which assumes
// equal circuits, does without it.
func ExamplePlan() {
	f := fabric.Default()
	f.Nodes, f.Reconfig.Base = 8, 100*units.Microsecond
	for _, links := range []fabric.Links{{}, fabric.LinksOf(fabric.Link{From: 0, To: 1, Bandwidth: 200 * units.Gbps})} {
		f.Links = links
		c := &collective.Collective{Op: collective.AllReduce, Algorithm: joint.Name, Nodes: 8, Space: collective.SpaceOf(collective.AllReduce, 8, 1)}
		made, err := joint.New().Plan(context.Background(), planner.Request{Fabric: f, Collective: c, Size: 4 * units.MiB})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(made.Cost.Total(), made.Stages[0].Topology.Name())
	}
	// Output:
	// 87.40us UniRing(1,8)
	// 87.40us UniRing(1,8) renumbered
}
