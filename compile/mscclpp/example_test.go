package mscclpp_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/compile/mscclpp"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// What the thread blocks of rank 0 do in an exchange of two GPUs.
func Example() {
	ctx := context.Background()
	f := fabric.Default()
	f.Nodes = 2
	p, err := lightpath.Plan(ctx, lightpath.PlanRequest{
		Fabric: f, Planner: "static", Operations: []lightpath.Operation{{Op: collective.AllGather, Algorithm: "ring", Size: units.MiB}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, documents, err := mscclpp.Make(ctx, p, true, mscclpp.Options{Name: "swap"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, b := range documents[0].GPUs[0].ThreadBlocks {
		for _, o := range b.Ops {
			fmt.Println("block", i, o.Name)
		}
	}
	fmt.Println("right:", mscclpp.Check(documents...).OK)
	// Output:
	// block 0 rlxwait
	// block 0 pwsf
	// block 1 rlxsignal
	// block 1 wait
	// right: true
}
