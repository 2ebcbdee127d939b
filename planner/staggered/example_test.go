package staggered_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged"
	"github.com/lightpath-net/lightpath/planner/staggered"
	"github.com/lightpath-net/lightpath/units"
)

func ExampleNew() {
	f := fabric.Default()
	f.Nodes, f.Ports = 8, 2
	f.Reconfig.Base = 20 * units.Microsecond
	f.Overlap = fabric.Overlap{Kind: fabric.OverlapPlanes}
	c, err := algorithms.New(collective.AllReduce, "halving-doubling", f.Nodes, f.Ports)
	if err != nil {
		fmt.Println(err)
		return
	}
	r := planner.Request{Fabric: f, Collective: c, Size: 4 * units.MiB}
	harvest := staged.Harvest(staged.HarvestOptions{})
	for _, p := range []planner.Planner{harvest, staggered.New(harvest)} {
		made, err := p.Plan(context.Background(), r)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(p.Name(), made.Cost.Total())
	}
	// Output:
	// harvest 98.43us
	// staggered 86.94us
}
