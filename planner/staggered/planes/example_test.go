package planes_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/planner/staggered/planes"
	"github.com/lightpath-net/lightpath/units"
)

// Three steps, each over its own circuits, on two planes. Reconfiguring both planes together
// twice takes 2*100 in addition to 3*60 of sending. It is better if one plane skips the second
// step: it is dark while the other sends, and carries more of the first and third steps.
func ExampleSearch() {
	const change = 100
	p := &planes.Problem{
		Planes: 2,
		Services: [][]planes.Service{
			{{Whole: 120}, {}, {}},
			{{}, {Whole: 120}, {}},
			{{}, {}, {Whole: 120}},
		},
		Change: [][]units.Time{{0, change, change}, {change, 0, change}, {change, change, 0}},
	}
	found, err := planes.Search(context.Background(), p, func(int, int) {})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(found.Total)
	for _, pattern := range found.Patterns {
		fmt.Println(pattern)
	}
	// Output:
	// 340.0ns
	// [0 -1 2]
	// [0 1 2]
}
