package frontier_test

import (
	"fmt"

	"github.com/lightpath-net/lightpath/planner/frontier"
)

// Of three plans, the one that reconfigures most is fastest while that is cheap; the one in the
// middle never is.
func ExampleLowest() {
	for _, p := range frontier.Lowest([]frontier.Point{
		{Algorithm: "static", Reconfigurations: 0, CommunicationNs: 1000},
		{Algorithm: "middle", Reconfigurations: 2, CommunicationNs: 900},
		{Algorithm: "every step", Reconfigurations: 4, CommunicationNs: 200},
	}, 0) {
		fmt.Println(p.Algorithm, p.FromNs, p.ToNs)
	}
	// Output:
	// every step 0ns 200.0ns
	// static 200.0ns <nil>
}
