package replay_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/replay"
	"github.com/lightpath-net/lightpath/units"
)

// A plan is replayed packet by packet, with an eye on a circuit that might fail.
func Example() {
	f := fabric.Default()
	f.Nodes = 8
	allreduce, err := algorithms.New(collective.AllReduce, "recursive-doubling", f.Nodes, f.Ports)
	if err != nil {
		panic(err)
	}
	static, err := planner.Registry(staged.Planners()).Lookup("static")
	if err != nil {
		panic(err)
	}
	p, err := static.Plan(context.Background(), planner.Request{Fabric: f, Collective: allreduce, Size: 4 * units.MiB})
	if err != nil {
		panic(err)
	}
	failure, err := replay.ParseFailure("link:3-4@60us")
	if err != nil {
		panic(err)
	}
	losses := replay.NewLosses(f.Delta, failure)
	options := sim.Options{Forwarding: f.Forwarding, Observer: losses}
	result, err := sim.Run(context.Background(), sim.PacketLevel, replay.Program(p), options)
	if err != nil {
		panic(err)
	}
	explanation, err := replay.Explain(p, sim.PacketLevel, options, result.Phases, nil)
	if err != nil {
		panic(err)
	}
	fmt.Println("plan:", p.Cost.Total(), "simulated:", result.Completion.Time())
	for _, part := range explanation.Total {
		fmt.Println(part.Time, part.Cause)
	}
	first := losses.Of(0)[0]
	fmt.Println("step", first.Phase+1, "would lose", len(first.Flows), "messages")
	// Output:
	// plan: 135.8us simulated: 131.8us
	// -4.000us hidden propagation
	// step 3 would lose 2 messages
}
