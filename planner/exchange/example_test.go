package exchange_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/exchange"
	"github.com/lightpath-net/lightpath/units"
)

// An all-to-all of 8 GPUs with one port each, by the best strategy and by one of them.
func Example() {
	f := fabric.Default()
	f.Nodes, f.Ports = 8, 1
	task := &collective.Collective{
		Op: collective.AllToAll, Algorithm: exchange.Name, Nodes: f.Nodes, Space: collective.SpaceOf(collective.AllToAll, f.Nodes, 1),
	}
	for _, o := range []exchange.Options{{}, {Strategy: "direct"}} {
		p, err := exchange.New(o).Plan(context.Background(), planner.Request{Fabric: f, Collective: task, Size: 4 * units.MiB})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%-7s %v, topologies: %d\n", p.Strategy, p.Cost.Total(), len(p.Stages))
	}
	// Output:
	// cayley  81.17us, topologies: 3
	// direct  103.7us, topologies: 7
}
