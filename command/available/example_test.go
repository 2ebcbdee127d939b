package available_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command/available"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

func ExampleAssessAvailability() {
	f := fabric.Default()
	f.Nodes, f.Ports = 8, 2
	a, err := available.AssessAvailability(context.Background(), available.AvailabilityRequest{
		Fabric: f, Technology: "rotornet", SpareSwitches: 1, For: []collective.Operation{{Op: collective.AllReduce, Size: units.MiB}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range a.Cases {
		fmt.Printf("spares %v, replanning %v: full %.3f%%, down %.3f%%\n", c.Spares, c.Replanning, 100*c.Shares.Full, 100*c.Shares.Down)
	}
	// Output:
	// spares false, replanning false: full 99.971%, down 0.029%
	// spares false, replanning true: full 99.971%, down 0.005%
	// spares true, replanning false: full 99.977%, down 0.023%
	// spares true, replanning true: full 99.977%, down 0.000%
}
