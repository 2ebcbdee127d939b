package comparing_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command/comparing"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

func ExampleFrontier_At() {
	f := fabric.Default()
	f.Nodes = 8
	frontier, err := comparing.FindFrontier(context.Background(), comparing.FrontierRequest{
		Fabric: f, Planner: "harvest",
		Operation: collective.Operation{Op: collective.AllReduce, Algorithm: "recursive-doubling", Size: units.MiB},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, delay := range []units.Duration{units.Microsecond, 10 * units.Microsecond, units.Millisecond} {
		fmt.Println(delay, frontier.At(delay.Time()))
	}
	// Output:
	// 1us 28.35us
	// 10us 41.46us
	// 1ms 41.46us
}
