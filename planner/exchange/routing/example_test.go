package routing_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/routing"
)

// One node has much for another: over two rings, one after the other, chunks are divided so
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
	r := routing.NewRouter(stages, demand, true)
	if err := r.Solve(context.Background()); err != nil {
		fmt.Println(err)
		return
	}
	s := r.Schedule("example", 1)
	fmt.Println("right:", s.Check(demand) == nil, "slots:", s.Slots())
	// Output:
	// right: true slots: 7
}
