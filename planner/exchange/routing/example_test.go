package routing_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/routing"
)

// One node has much for another: over two rings, one after the other, its chunks are divided so
// that no circuit has too many.
func Example() {
	demand, err := model.Counts([][]int{
		{0, 4, 1, 1},
		{1, 0, 1, 1},
		{1, 1, 0, 1},
		{1, 1, 1, 0},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	stages := [][][]int{routing.Rings(4, []int{1}), routing.Rings(4, []int{3})}
	flows, err := routing.NewRouter(stages, 1, demand, true).Solve(context.Background(), func(int) bool { return true })
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := flows.Schedule(context.Background(), "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("right:", s.Check(demand) == nil, "slots:", s.Slots())
	// Output:
	// right: true slots: 7
}
