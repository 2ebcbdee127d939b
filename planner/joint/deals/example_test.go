package deals_test

import (
	"fmt"

	"github.com/lightpath-net/lightpath/planner/joint/deals"
)

// The deal of the package's comment.
func ExampleDeal_Steps() {
	list, err := deals.Read("one 6 2 6 2 5,2 122534450301 10112223343540415253")
	if err != nil {
		fmt.Println(err)
		return
	}
	steps, ok := list[0].Steps()
	fmt.Println(ok)
	for i, sent := range steps {
		if i == 0 {
			for _, s := range sent {
				fmt.Printf("%c %v\n", 'A'+s.Piece, s.Path)
			}
			continue
		}
		fmt.Println(len(sent), "pieces in round", i)
	}
	// Output:
	// true
	// A [0 1]
	// B [0 1]
	// C [0 2]
	// D [0 1 2]
	// E [0 2 3]
	// F [0 2 3]
	// A [0 2 4]
	// B [0 2 4]
	// C [0 1 5]
	// D [0 1 5]
	// 20 pieces in round 1
}
