package rotated_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/planner/direct/rotated"
)

// An allgather on a two-way ring of 8 nodes: every second node stands for all. The first step takes
// the shards from up to two hops away.
func ExampleSolve() {
	ring := &rotated.Wiring{Nodes: 8, Width: 2, To: [][]int32{{1, 7}, {2, 0}}}
	made := rotated.Solve(context.Background(), ring, rotated.Costs{Start: 3, Hop: 1, Shard: 1})
	fmt.Println(made.Ends, made.Loads, made.Time)
	for d := range made.Deliveries(0) {
		fmt.Println(d.Path, d.Shards)
	}
	// Output:
	// [2 4] [3 3] 16
	// [1 0] [1]
	// [7 0] [7]
	// [2 1 0] [2]
	// [6 7 0] [6]
	// [0 1] [0]
	// [2 1] [2]
	// [3 2 1] [3]
	// [7 0 1] [7]
}
