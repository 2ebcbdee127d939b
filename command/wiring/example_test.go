package wiring_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command/wiring"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

func ExampleWire() {
	f := fabric.Default()
	f.Nodes, f.Ports = 8, 2
	a, err := wiring.Wire(context.Background(), wiring.WireRequest{
		Fabric: f, Radix: 4, For: []collective.Operation{{Op: collective.AllReduce, Size: units.MiB}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, l := range a.Layouts {
		fmt.Printf("%s: %d switches, %d fibres, loss %.0f%%\n", l.Layout, l.Switches, l.Fibres, 100*l.Loss)
	}
	// Output: 4x2:1,1: 6 switches, 32 fibres, loss 9%
}
