package climb_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/planner/direct/climb"
)

func ExampleClimb() {
	task := climb.Task{Nodes: 9, Degree: 2, Width: 3, Diameter: 3, Moves: 1000}
	found, err := climb.Climb(context.Background(), task)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(found.Steps, "steps, bandwidth", found.Bandwidth)
	// Output: 6 steps, bandwidth 16/9
}
