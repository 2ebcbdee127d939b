package order_test

import (
	"fmt"

	"github.com/lightpath-net/lightpath/compile/lift/order"
)

// Item 1 is at least as high as item 0, item 2 is higher than both, and items 2 and 3 are on a
// cycle that does not climb.
func ExampleLevels() {
	fmt.Println(order.Levels(4, []order.Constraint{
		{First: 0, Then: 1}, {First: 0, Then: 2, Plus: 1}, {First: 1, Then: 2, Plus: 1},
		{First: 2, Then: 3}, {First: 3, Then: 2},
	}))
	// Output: [0 0 1 1] true
}
