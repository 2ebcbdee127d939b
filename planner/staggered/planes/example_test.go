package planes_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/planner/staggered/planes"
	"github.com/lightpath-net/lightpath/units"
)

// Three steps, each over circuits of its own, on two planes. Rewiring both together twice
// takes 2*100 besides the 3*60 of sending. It pays to have one plane skip the second step: it is
// dark while the other sends, and has more of the first and of the third.
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
