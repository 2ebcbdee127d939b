package simtest_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/simtest"
)

// In a test one calls Run; Broken tells the same without one.
func ExampleBroken() {
	broken, err := simtest.Broken(context.Background(), simtest.Level(sim.FlowLevel), simtest.Draw(1), sim.Options{})
	fmt.Println(broken, err)
	// Output: map[] <nil>
}
