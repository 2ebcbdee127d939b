package explain_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/explain"
	"github.com/lightpath-net/lightpath/fabric"
)

func ExamplePlan() {
	f := fabric.Default()
	f.Nodes = 8
	p, err := lightpath.Plan(context.Background(), lightpath.PlanRequest{
		Fabric: f, Planner: "harvest", Operations: []lightpath.Operation{{Op: collective.AllReduce, Algorithm: "recursive-doubling"}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	why, err := explain.Plan(context.Background(), p, lightpath.Planners())
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range why.Changes {
		fmt.Println("stage", c.Stage, "saves", c.SavedNs, "and costs", c.PaidNs)
	}
	fmt.Println("the best from a delay of", why.Reconfig.FromNs, "to", *why.Reconfig.ToNs)
	// Output:
	// stage 2 saves 44.94us and costs 20.00us
	// stage 3 saves 44.94us and costs 20.00us
	// the best from a delay of 5.743us to 22.47us
}
