package program_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/emulate/number"
	"github.com/lightpath-net/lightpath/emulate/program"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// The example prints the program of rank 1 in an allreduce of four ranks around a ring.
func ExampleProgram() {
	f := fabric.Default()
	f.Nodes = 4
	p, err := lightpath.Plan(context.Background(), lightpath.PlanRequest{
		Fabric: f, Planner: "static", Operations: []lightpath.Operation{{Op: collective.AllReduce, Algorithm: "ring", Size: units.KiB}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	g, err := program.New(p, number.Int32)
	if err != nil {
		fmt.Println(err)
		return
	}
	rank := g.For([]int{1})[0]
	for i := range rank.Steps() {
		step := rank.Step(i)
		out, in := step.Sends[0], step.Receives[0]
		fmt.Println("step", i+1, "to", out.Dst, out.Bytes, "bytes; from", in.Src, in.Bytes, "bytes to", in.Action)
	}
	// Output:
	// step 1 to 2 256 bytes; from 0 256 bytes to reduce
	// step 2 to 2 256 bytes; from 0 256 bytes to reduce
	// step 3 to 2 256 bytes; from 0 256 bytes to reduce
	// step 4 to 2 256 bytes; from 0 256 bytes to copy
	// step 5 to 2 256 bytes; from 0 256 bytes to copy
	// step 6 to 2 256 bytes; from 0 256 bytes to copy
}
