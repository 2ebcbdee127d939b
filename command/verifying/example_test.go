package verifying_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/command/planning"
	"github.com/lightpath-net/lightpath/command/verifying"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// Verify detects a plan that was changed.
func ExampleVerify() {
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
	for _, action := range []collective.Action{collective.Reduce, collective.Copy} {
		p.Stages[0].Steps[0].Base[0].Action = action
		report, err := verifying.Verify(ctx, verifying.VerifyRequest{Plan: p})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(report.OK)
	}
	// Output:
	// true
	// false
}
