package staged_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged"
	"github.com/lightpath-net/lightpath/units"
)

// An allreduce of 4 MiB on HARVEST's simulated fabric with a switch that reconfigures in 10 us:
// neither extreme is best.
func ExamplePlanners() {
	f := fabric.Default()
	c, err := algorithms.New(collective.AllReduce, "recursive-doubling", f.Nodes, f.Ports)
	if err != nil {
		fmt.Println(err)
		return
	}
	request := planner.Request{Fabric: f, Collective: c, Size: 4 * units.MiB}
	for _, p := range staged.Planners() {
		made, err := p.Plan(context.Background(), request)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%-11s %v with %d reconfigurations\n", p.Name(), made.Cost.Total(), made.Reconfigurations)
	}
	// Output:
	// static      320.7us with 0 reconfigurations
	// every-step  194.6us with 10 reconfigurations
	// light-bends 194.6us with 10 reconfigurations
	// harvest     156.6us with 4 reconfigurations
}
