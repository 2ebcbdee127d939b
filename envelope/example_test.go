package envelope_test

import (
	"fmt"

	"github.com/lightpath-net/lightpath/envelope"
)

// Three plans: never reconfigure, once, four times. Each is the best for some delays.
func Example() {
	plans := []envelope.Line{{Fixed: 900, Slope: 0}, {Fixed: 500, Slope: 1}, {Fixed: 200, Slope: 4}}
	for _, s := range envelope.Segments(nil, envelope.Lowest(plans)) {
		fmt.Printf("%v changes for delays from %v to %v\n", s.Slope, s.From, s.To)
	}
	// Output:
	// 4 changes for delays from 0 to 100
	// 1 changes for delays from 100 to 400
	// 0 changes for delays from 400 to +Inf
}
