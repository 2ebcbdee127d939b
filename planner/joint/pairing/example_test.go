package pairing_test

import (
	"fmt"

	"github.com/lightpath-net/lightpath/planner/joint/pairing"
)

// Five points are folded into four: the fifth talks to the first, the four gather, and the first
// tells the fifth the rest.
func ExampleFold() {
	for _, round := range pairing.Fold(5, 4) {
		fmt.Println(len(round), "messages of up to", round.Load())
	}
	// Output:
	// 2 messages of up to 1
	// 4 messages of up to 2
	// 4 messages of up to 3
	// 1 messages of up to 3
}
