package plannertest_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner/plannertest"
	"github.com/lightpath-net/lightpath/planner/staged"
)

// A test calls Run; Broken gives the result without a test.
func ExampleBroken() {
	planner := staged.Harvest(staged.HarvestOptions{})
	for _, c := range plannertest.Cases()[:2] {
		broken, err := plannertest.Broken(context.Background(), plannertest.Of(planner, plan.Known{}), c)
		fmt.Println(c.Name, broken, err)
	}
	// Output:
	// ring allreduce [] <nil>
	// recursive doubling [] <nil>
}
