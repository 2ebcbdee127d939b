package joint_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/joint"
	"github.com/lightpath-net/lightpath/units"
)

// 64 GPUs sum 1 KiB over two digits of 8, each in one step of 7 hops on rings of 8, with
// one change of circuits in between.
func ExampleNew() {
	f := fabric.Default()
	p, err := joint.New().Plan(context.Background(), planner.Request{
		Fabric: f, Size: units.KiB,
		Collective: &collective.Collective{
			Op: collective.AllReduce, Algorithm: joint.Name, Nodes: f.Nodes, Space: collective.SpaceOf(collective.AllReduce, f.Nodes, 1),
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, stage := range p.Stages {
		fmt.Println(stage.Topology.Name(), len(stage.Steps), "step", stage.Steps[0].Cost.Hops, "hops")
	}
	fmt.Println(p.Cost.Total(), p.Reconfigurations)
	// Output:
	// 8xUniRing(1,8)@8 1 step 7 hops
	// 8xUniRing(1,8)@1 1 step 7 hops
	// 18.57us 1
}
