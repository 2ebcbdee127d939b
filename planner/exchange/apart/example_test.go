package apart_test

import (
	"fmt"

	"github.com/lightpath-net/lightpath/planner/exchange/apart"
)

// Three matchings of 6 on two planes: one is split, so that both end at 10.
func ExampleSpread() {
	for k, turns := range apart.Spread([]float64{6, 6, 6}, 2, 0.5) {
		fmt.Println("plane", k+1, turns)
	}
	// Output:
	// plane 1 [{0 0.5} {2 1}]
	// plane 2 [{1 1} {0 0.5}]
}
