package lower_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/compile/lower"
	"github.com/lightpath-net/lightpath/compile/msccl"
	"github.com/lightpath-net/lightpath/compile/program"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// The example prints the program of rank 0 in an allgather around a ring of four GPUs: its
// thread block sends its own chunk, then receives other chunks and forwards them.
func Example() {
	ctx := context.Background()
	f := fabric.Default()
	f.Nodes = 4
	p, err := lightpath.Plan(ctx, lightpath.PlanRequest{
		Fabric: f, Planner: "static",
		Operations: []lightpath.Operation{{Op: collective.AllGather, Algorithm: "ring", Size: units.MiB}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	low, err := lower.Lower(ctx, p, lower.Options{Limits: msccl.MSCCL.Limits(), Protocol: program.Simple, InPlace: true, Name: "ring"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, b := range low.Programs[0].Ranks[0].Blocks {
		fmt.Println("sends to", b.Send, "receives from", b.Recv)
		for _, o := range b.Ops {
			fmt.Println(o.Kind, o.Src, o.Dst)
		}
	}
	fmt.Println(low.Fused, "operations receive and send on")
	// Output:
	// sends to 1 receives from 3
	// s o[0] i[-1]
	// rcs i[-1] o[3]
	// rcs i[-1] o[2]
	// r i[-1] o[1]
	// 8 operations receive and send on
}
