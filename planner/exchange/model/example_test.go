package model_test

import (
	"fmt"

	"github.com/lightpath-net/lightpath/planner/exchange/model"
)

// Four nodes on a ring: the chunk for the farthest node goes first.
func Example() {
	demand, err := model.Uniform(4, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	s := &model.Schedule{Nodes: 4, Ports: 1, Group: model.Rotations(4), Stages: []model.Stage{{
		Generators: []int{1},
		Slots:      6,
		Runs: []model.Run{
			{Chunk: model.Chunk{Dest: 3}, Slot: 0, Hops: 3},
			{Chunk: model.Chunk{Dest: 2}, Slot: 3, Hops: 2},
			{Chunk: model.Chunk{Dest: 1}, Slot: 5, Hops: 1},
		},
	}}}
	bound, err := model.RelayBound(4, 1, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("right:", s.Check(demand) == nil)
	fmt.Println("slots:", s.Slots(), "and no schedule with one topology takes fewer than", bound)
	fmt.Println(s.Decompose())
	// Output:
	// right: true
	// slots: 6 and no schedule with one topology takes fewer than 6
	// A = P1 + P1^2 + P1^3
}
