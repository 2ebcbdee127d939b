package lightpath_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/emulate"
	"github.com/lightpath-net/lightpath/emulate/number"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

// A plan that was read from a file without it is simulated packet by packet.
func ExampleAddSimulated() {
	p := doubling()
	if err := lightpath.AddSimulated(context.Background(), p, false); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("the model says", p.Cost.Total(), "and packets take", p.Simulated)
	// Output: the model says 31.97us and packets take 30.97us
}

// The answer of Emulate, from a run that was made with package emulate itself.
func ExampleEmulated() {
	r, err := emulate.Run(context.Background(), doubling(), emulate.Options{Type: number.Int32})
	if err != nil {
		fmt.Println(err)
		return
	}
	e := lightpath.Emulated(r, number.Int32, nil)
	fmt.Println(e.OK, e.Ranks, "ranks,", e.BytesChecked, "bytes of results are right")
	// Output: true 8 ranks, 8388608 bytes of results are right
}

// Results are kept by the version that found them: a plan of another may be another.
func ExampleVersion() {
	fmt.Println(lightpath.Version() != "")
	// Output: true
}

// What is going on is told beside the request: each plan that is the fastest so far, and how
// much is done.
func ExampleOption() {
	found, steps := 0, 0
	p, err := lightpath.Plan(context.Background(), lightpath.PlanRequest{
		Fabric: eightGPUs(), Operations: []lightpath.Operation{{Op: collective.AllReduce, Size: units.MiB}},
	}, lightpath.WithBetter(func(*plan.Plan) { found++ }), lightpath.WithProgress(func(done, total int) { steps++ }))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Cost.Total(), found > 0, steps > 0)
	// Output: 29.35us true true
}
