package powers_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/planner/exchange/strategy/powers"
)

// Three nodes exchange over one ring: one hop reaches the next node, two hops the one after.
func Example() {
	found, err := powers.Whole(context.Background(), 3, []uint64{1<<1 | 1<<2})
	fmt.Println(found, err)
	// Output: [[1 2 0]] <nil>
}
