package jumpset_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/planner/exchange/jumpset"
)

// Three topologies for 64 nodes with one port each: the jumps of the paper's model, in which a
// chunk uses one topology, and the jumps for chunks that wait for later ones.
func Example() {
	ctx := context.Background()
	shifts, err := jumpset.NewShiftSequence(64).Improved(ctx, 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	sequence := jumpset.NewRelaySequence(64)
	if err := sequence.Extend(ctx, 3); err != nil {
		fmt.Println(err)
		return
	}
	relay, err := jumpset.SwapRelay(ctx, 64, sequence.Jumps)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("within one topology:", jumpset.Covered(64, shifts).Total, "hops")
	fmt.Println("across topologies:", jumpset.DistancesOf(64, relay).Total, "hops")
	// Output:
	// within one topology: 853 hops
	// across topologies: 267 hops
}
