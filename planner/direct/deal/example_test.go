package deal_test

import (
	"fmt"

	"github.com/lightpath-net/lightpath/planner/direct/deal"
)

// Two circuits lead into a node. The first can deliver shards 0, 1 and 2, the second 2 and 3:
// two shards for each is enough, three and none is not.
func Example() {
	var h deal.Hands
	h.Clear(1)
	h.Add()[0] = 0b0111
	h.Add()[0] = 0b1100
	fmt.Println(h.Dealt(func(int) int { return 2 }))
	fmt.Println(h.Dealt(func(circuit int) int { return []int{3, 0}[circuit] }))
	// Output:
	// true
	// false
}
