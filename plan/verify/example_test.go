package verify_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged"
	"github.com/lightpath-net/lightpath/units"
)

// A plan is verified from its content only; a plan that claims less time than its steps take is
// refused.
func ExamplePlan() {
	f := fabric.Default()
	f.Nodes = 4
	c, err := algorithms.New(collective.AllReduce, "ring", f.Nodes, f.Ports)
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := staged.Planners()[0].Plan(context.Background(), planner.Request{Fabric: f, Collective: c, Size: units.MiB})
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := verify.Plan(context.Background(), p)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.OK)
	p.Cost.Transmission /= 2
	if report, err = verify.Plan(context.Background(), p); err == nil {
		fmt.Println(report.OK)
	}
	// Output:
	// true
	// false
}
