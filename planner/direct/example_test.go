package direct_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/direct"
	"github.com/lightpath-net/lightpath/units"
)

// One topology for the whole collective, and a schedule that fits it.
func ExampleNew() {
	f := fabric.Default()
	f.Nodes, f.Ports = 16, 4
	task := &collective.Collective{Op: collective.AllGather, Algorithm: direct.Algorithm, Nodes: 16, Space: collective.SpaceOf(collective.AllGather, 16, 1)}
	p, err := direct.New().Plan(context.Background(), planner.Request{Fabric: f, Collective: task, Size: 64 * units.MiB})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Stages[0].Topology.Name(), p.CountSteps(), "steps,", p.Cost.Total())
	// Output: C(16;3,4) 3 steps, 160.3us
}
