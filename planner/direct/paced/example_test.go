package paced_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/planner/direct/paced"
	"github.com/lightpath-net/lightpath/topology"
)

// An allgather on a ring of 5 nodes in both directions: two shards arrive in every step.
func ExampleSolve() {
	g, err := topology.Parse("BiRing(2,5)")
	if err != nil {
		fmt.Println(err)
		return
	}
	made, err := paced.Solve(context.Background(), g, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(made.Paces, made.Load())
	// Output: [1 1] 2
}
