package rounds_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/planner/exchange/rounds"
)

// Eight nodes have two ports each. The output is the slots with one, two, three and four
// topologies.
func Example() {
	ctx := context.Background()
	c, err := rounds.NewCirculants(ctx, 8, 2)
	for more := true; more && err == nil; more, err = c.Contract(ctx) {
		fmt.Print(c.Slots(), " ")
	}
	fmt.Println(err == nil)
	// Output:
	// 9 7 5 4 true
}
