package auto_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/auto"
	"github.com/lightpath-net/lightpath/planner/staged"
	"github.com/lightpath-net/lightpath/units"
)

// The best of some planners for one algorithm.
func ExampleNew() {
	f := fabric.Default()
	f.Nodes = 8
	c, err := algorithms.New(collective.AllGather, "bruck", f.Nodes, f.Ports)
	if err != nil {
		fmt.Println(err)
		return
	}
	best := auto.New(staged.Planners())
	p, err := best.Plan(context.Background(), planner.Request{Fabric: f, Collective: c, Size: units.MiB})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Planner, p.Cost.Total())
	// Output: harvest 25.30us
}
