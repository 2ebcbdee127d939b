package trees_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/trees"
	"github.com/lightpath-net/lightpath/units"
)

// A broadcast on a grid of 4x4 GPUs with a port in each digit goes down two trees.
func ExampleNew() {
	f := fabric.Default()
	f.Nodes, f.Ports = 16, 2
	if err := f.Set("switches", "4x4"); err != nil {
		fmt.Println(err)
		return
	}
	c := &collective.Collective{Op: collective.Broadcast, Nodes: 16, Space: collective.SpaceOf(collective.Broadcast, 16, 1)}
	p, err := trees.New().Plan(context.Background(), planner.Request{Fabric: f, Collective: c, Size: 16 * units.MiB})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s: %v\n", p.Strategy, p.Cost.Total())
	// Output: 36 pieces down 2 trees of depth 5: 124.5us
}
