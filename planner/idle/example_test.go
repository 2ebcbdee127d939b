package idle_test

import (
	"context"
	"fmt"
	"log"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/idle"
	"github.com/lightpath-net/lightpath/planner/staged"
	"github.com/lightpath-net/lightpath/units"
)

// A short message on dark circuits that are set up one by one: with one port of four in use,
// fewer circuits have to be set up.
func Example() {
	f := fabric.Default()
	f.Nodes, f.Ports, f.Initial = 8, 4, fabric.InitialDark
	f.Reconfig = fabric.Reconfig{Model: fabric.PerCircuit, Base: units.Microsecond, Each: units.Microsecond}
	c, err := algorithms.New(collective.AllGather, "ring", f.Nodes, f.Ports)
	if err != nil {
		log.Fatal(err)
	}
	harvest := staged.Harvest(staged.HarvestOptions{})
	request := planner.Request{Fabric: f, Collective: c, Size: units.KiB, Bare: true}
	whole, err := harvest.Plan(context.Background(), request)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(f.Ports, "ports:", whole.Cost.Total())
	for _, less := range idle.Of(&f, false) {
		p, err := less.Planner(harvest).Plan(context.Background(), request)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(less.Ports, "used:", p.Cost.Total())
	}
	// Output:
	// 4 ports: 35.51us
	// 3 used: 32.00us
	// 2 used: 24.00us
	// 1 used: 16.01us
}
