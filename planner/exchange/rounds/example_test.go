package rounds_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/planner/exchange/rounds"
)

// Eight nodes with two ports each: the slots with one topology, two, three and four.
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
