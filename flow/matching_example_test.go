package flow_test

import (
	"fmt"

	"github.com/lightpath-net/lightpath/flow"
)

func ExampleMatchings() {
	pairs := [][2]int{{0, 1}, {0, 2}, {1, 2}, {2, 1}}
	for _, group := range flow.Matchings(3, pairs) {
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
