package simulating_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/command/planning"
	"github.com/lightpath-net/lightpath/command/simulating"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/sim/replay"
	"github.com/lightpath-net/lightpath/units"
)

func ExampleSimulation_Survives() {
	ctx := context.Background()
	f := fabric.Default()
	f.Nodes, f.Reconfig.Base = 8, 2*units.Microsecond
	p, err := planning.Plan(ctx, planning.PlanRequest{
		Fabric: f, Planner: "harvest",
		Operations: []collective.Operation{{Op: collective.AllReduce, Algorithm: "recursive-doubling", Size: units.MiB}},
	}, command.WithoutBaselines())
	if err != nil {
		fmt.Println(err)
		return
	}
	fail, err := replay.ParseFailure("link:0-1@0ns")
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := simulating.Simulate(ctx, simulating.SimulateRequest{Plan: p, Fail: []replay.Failure{fail}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.CompletionNs, s.Survives())
	// Output: 30.97us false
}
