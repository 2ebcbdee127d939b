package matching_test

import (
	"fmt"

	"github.com/lightpath-net/lightpath/flow/matching"
)

func ExampleDivide() {
	pairs := [][2]int{{0, 1}, {0, 2}, {1, 2}, {2, 1}}
	for _, group := range matching.Divide(3, pairs) {
		var match [][2]int
		for _, i := range group {
			match = append(match, pairs[i])
		}
		fmt.Println(match)
	}
	// Output:
	// [[0 1] [1 2]]
	// [[0 2] [2 1]]
}
