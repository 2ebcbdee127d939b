package planner_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged"
	"github.com/lightpath-net/lightpath/units"
)

// A planner is looked up by name and asked for a plan. If there is none, the error is
// distinguishable.
func Example() {
	planners := planner.Registry(staged.Planners())
	p, err := planners.Lookup("harvest")
	if err != nil {
		fmt.Println(err)
		return
	}
	f := fabric.Default()
	f.Nodes = 8
	c, err := algorithms.New(collective.AllReduce, "swing", f.Nodes, f.Ports)
	if err != nil {
		fmt.Println(err)
		return
	}
	made, err := p.Plan(context.Background(), planner.Request{Fabric: f, Collective: c, Size: units.MiB})
	if errors.Is(err, planner.ErrInfeasible) {
		fmt.Println("no plan")
		return
	}
	fmt.Println(made.Reconfigurations, "reconfigurations,", made.Cost.Total(), err)
	// Output: 4 reconfigurations, 64.35us <nil>
}
