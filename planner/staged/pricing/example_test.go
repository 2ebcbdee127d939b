package pricing_test

import (
	"fmt"

	"github.com/lightpath-net/lightpath/planner/staged/pricing"
)

// Jumps are two-way circuits if each has its reverse.
func ExampleTwoWay() {
	fmt.Println(pricing.TwoWay(8, []int{1, 3, 5, 7}))
	fmt.Println(pricing.TwoWay(8, []int{1, 2}))
	// Output:
	// [1 3] true
	// [] false
}
