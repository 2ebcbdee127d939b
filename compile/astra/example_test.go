package astra_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/compile/astra"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// The example prints the input of ASTRA-sim for an allgather of four GPUs, and the trace of rank
// 0. The rank forwards the data that it has received, and circuits change for 10 us in between.
func Example() {
	ctx := context.Background()
	f := fabric.Default()
	f.Nodes = 4
	p, err := lightpath.Plan(ctx, lightpath.PlanRequest{
		Fabric: f, Planner: "every-step",
		Operations: []lightpath.Operation{{Op: collective.AllGather, Algorithm: "recursive-doubling", Size: units.MiB}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	folder, err := astra.Make(ctx, p)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range folder.Files {
		fmt.Println(f.Name)
	}
	for _, n := range folder.Notes {
		fmt.Println("note:", n)
	}
	fmt.Println("the plan takes", p.Cost.Total(), "and the simulator", folder.Time)
	ranks, err := astra.Traces(ctx, p)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, n := range ranks[0].Nodes {
		fmt.Println(n.ID, n.Name, n.Deps, n.Micros)
	}
	// Output:
	// algorithm.0.et
	// workload.0.et
	// algorithm.1.et
	// workload.1.et
	// algorithm.2.et
	// workload.2.et
	// algorithm.3.et
	// workload.3.et
	// system.json
	// network.yml
	// memory.json
	// note: circuits change while a rank computes, after all of its own messages: the network has no barrier of all ranks
	// the plan takes 19.86us and the simulator 19.86us
	// 0 step 1 to 2 [] 0
	// 1 step 1 from 2 [] 0
	// 2 reconfigure [0 1] 10
	// 3 step 2 to 1 [1 2] 0
	// 4 step 2 from 3 [2] 0
}
