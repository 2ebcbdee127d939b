package rehearsal_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/command/iterating"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/iteration/rehearsal"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/workload/model"
	"github.com/lightpath-net/lightpath/workload/parallel"
)

// One GPU of eight computes 30% more slowly, and the others wait for it.
func ExampleRun() {
	ctx := context.Background()
	llama, err := model.Named("llama3-8b")
	if err != nil {
		fmt.Println(err)
		return
	}
	f := fabric.Default()
	f.Ports = 2
	d, err := iterating.Iterate(ctx, iterating.IterateRequest{Model: llama, Config: parallel.Config{TP: 4, DP: 2, GlobalBatch: 4}, Fabric: f})
	if err != nil {
		fmt.Println(err)
		return
	}
	agenda, _, err := iteration.NewAgenda(ctx, d)
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := rehearsal.Run(ctx, agenda, rehearsal.Options{Level: sim.PacketLevel, Slow: map[int]float64{5: 1.3}})
	fmt.Println("planned", d.Iteration, "carried out", r.Iteration, err)
	// Output: planned 562.1ms carried out 690.9ms <nil>
}
