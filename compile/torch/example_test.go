package torch_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/compile"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// In an allreduce of two ranks, the ranks send each other half of their buffers, add the
// arriving data, and send the sums.
func Example() {
	ctx := context.Background()
	f := fabric.Default()
	f.Nodes = 2
	p, err := lightpath.Plan(ctx, lightpath.PlanRequest{
		Fabric: f, Planner: "static",
		Operations: []lightpath.Operation{{Op: collective.AllReduce, Algorithm: "ring", Size: units.MiB}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	made, err := compile.Compile(ctx, p, compile.Torch, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	var module bytes.Buffer
	if err := made.Files[0].Write(&module); err != nil {
		fmt.Println(err)
		return
	}
	_, program, _ := strings.Cut(module.String(), "_PROGRAM = (\n")
	program, _, _ = strings.Cut(program, ")\n")
	for line := range strings.Lines(program) {
		fmt.Println(strings.TrimSpace(line))
	}
	// Output:
	// "[[[[[1,[0,1,1]]],[[1,2,0,1]],[[1,1,0,0,0,2,0]]],[[[1,[1,0,1]]],[[1,1,1,1]],[]]]]",
	// "[[[[[0,[0,0,1]]],[[0,2,0,1]],[[1,1,1,0,1,2,0]]],[[[0,[1,1,1]]],[[0,1,0,1]],[]]]]",
}
