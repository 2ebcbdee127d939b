package planning_test

import (
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command/planning"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/exchange"
	"github.com/lightpath-net/lightpath/units"
)

// Complete fills in open fields and names invalid ones.
func ExamplePlanRequest_Complete() {
	r := planning.PlanRequest{Operations: []collective.Operation{{Op: collective.AllReduce, Size: units.MiB}}}
	fmt.Println(r.Complete(), r.Planner, r.Fabric.Nodes, r.ChooseBy)
	r.Options = []planner.Options{&exchange.Options{Strategy: "relay"}}
	fmt.Println(r.Complete())
	// Output:
	// <nil> auto 64 model
	// strategy: only applies to alltoall, where planner exchange uses it
}
