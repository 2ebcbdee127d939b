package online_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/iteration/online"
	"github.com/lightpath-net/lightpath/units"
)

// Demand 1 comes three times, then demand 2. A step takes 10 in the state that is planned for it,
// and 14 in others; to change costs 3.
func ExampleFollow() {
	cost := [][]units.Time{{0, 14, 14}, {0, 10, 14}, {0, 14, 10}}
	moves := [][]units.Time{{0, 3, 3}, {3, 0, 3}, {3, 3, 0}}
	g := newTable([]int{1, 1, 1, 2, 2, 2, 2}, cost, moves, 3)
	r, err := online.Follow(context.Background(), g, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	best, err := online.Hindsight(context.Background(), g, r.States, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	var states []int
	for _, s := range r.Steps {
		states = append(states, s.State)
	}
	fmt.Printf("%v\n%g; at home %g, in hindsight %g\n", states, float64(r.Total), float64(r.Home), float64(best.Total))
	// Output:
	// [0 1 1 2 2 2 2]
	// 80; at home 98, in hindsight 76
}
