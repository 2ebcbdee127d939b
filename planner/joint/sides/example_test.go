package sides_test

import (
	"fmt"
	"math"

	"github.com/lightpath-net/lightpath/planner/joint/sides"
)

// 13 points sum up 32 KiB on a two-way ring that stays.
func ExampleBest() {
	best := sides.Best(sides.Question{
		Points: 13, Alpha: 500, Delta: 500, Vector: 327.68, Wait: 1e5, Most: math.Inf(1), Stopped: func() bool { return false },
	})
	for _, step := range best.Steps {
		fmt.Printf("%d hops, %v vectors:", step.Hops, step.Load)
		for _, t := range step.Tiles {
			fmt.Printf(" %+d %q %08b", t.At, t.Part, t.Sides)
		}
		fmt.Println()
	}
	fmt.Printf("%.0f ns\n", best.Time)
	// Output:
	// 2 hops, 3 vectors: +1 "" 00000011 +2 "" 00000001 -1 "" 00000011 -2 "" 00000010
	// 4 hops, 4 vectors: +4 "own+side1" 00000000 -4 "own+side2" 00000000
	// 6294 ns
}
