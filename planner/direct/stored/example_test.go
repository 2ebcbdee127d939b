package stored_test

import (
	"fmt"

	"github.com/lightpath-net/lightpath/planner/direct/stored"
)

func ExampleOf() {
	for _, g := range stored.Of(9, 2, false) {
		fmt.Println("an allreduce on nine nodes of two ports:", g.Steps, "steps, bandwidth", g.Bandwidth)
	}
	// Output: an allreduce on nine nodes of two ports: 6 steps, bandwidth 16/9
}
