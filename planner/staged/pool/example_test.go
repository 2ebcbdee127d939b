package pool_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged/pool"
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
	"github.com/lightpath-net/lightpath/units"
)

// The topologies that HARVEST chooses from for recursive doubling on 8 GPUs with one port.
func ExampleHarvest() {
	f := fabric.Default()
	f.Nodes = 8
	c, err := algorithms.New(collective.AllReduce, "recursive-doubling", f.Nodes, f.Ports)
	if err != nil {
		fmt.Println(err)
		return
	}
	r := planner.Request{Fabric: f, Collective: c, Size: units.MiB}
	p, err := pool.Harvest(context.Background(), &r, pricing.NewWorkload(&r, c.Steps))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(p.Candidates), "topologies")
	// Output: 7 topologies
}
