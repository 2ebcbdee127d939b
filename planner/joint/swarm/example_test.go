package swarm_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/planner/joint/swarm"
	"github.com/lightpath-net/lightpath/topology"
)

// Of seven nodes with three ports one is short of a port and would take 12 steps for 24 pieces.
// If three nodes take turns, 9 steps are enough for all.
func Example() {
	g, err := topology.Parse("Regular(7,3,1)")
	if err != nil {
		fmt.Println(err)
		return
	}
	owners := make([]int, 28)
	for p := range owners {
		owners[p] = p / 4
	}
	for _, turns := range []int{1, 3} {
		steps := 0
		for _, stage := range swarm.Gather(context.Background(), swarm.Moved(g, turns, -1), []int{3, 3, 0}, owners, 1) {
			steps += len(stage.Steps)
		}
		fmt.Println(turns, "short:", steps, "steps")
	}
	// Output:
	// 1 short: 12 steps
	// 3 short: 9 steps
}
