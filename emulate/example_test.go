package emulate_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command/planning"
	"github.com/lightpath-net/lightpath/emulate"
	"github.com/lightpath-net/lightpath/emulate/fault"
	"github.com/lightpath-net/lightpath/emulate/number"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// An allreduce of eight ranks runs within this process, once as planned and once with a cut
// circuit.
func Example() {
	ctx := context.Background()
	f := fabric.Default()
	f.Nodes = 8
	p, err := planning.Plan(ctx, planning.PlanRequest{
		Fabric: f, Planner: "static", Operations: []collective.Operation{{Op: collective.AllReduce, Size: 64 * units.KiB, Algorithm: "ring"}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := emulate.Run(ctx, p, emulate.Options{Type: number.Int32})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.OK, r.Ranks, units.Bytes(r.Moved), r.Exactly)
	cut, err := fault.Parse("link:3-4@step:5")
	if err != nil {
		fmt.Println(err)
		return
	}
	if r, err = emulate.Run(ctx, p, emulate.Options{Faults: []fault.Injection{cut}}); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.OK, r.Fault)
	// Output:
	// true 8 896KiB true
	// false rank 3, step 5, peer 4: the circuit from rank 3 to rank 4 is cut
}
