package pieces_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/pieces"
	"github.com/lightpath-net/lightpath/planner/staged"
	"github.com/lightpath-net/lightpath/units"
)

// A gibibyte down a chain of 64 GPUs: in eight pieces it takes 94 ms.
func Example() {
	f := fabric.Default()
	f.Nodes = 64
	var built *algorithms.Registry
	open, err := built.Pieces(collective.Broadcast, "chain", f.Ports, nil, f.Nodes)
	if err != nil {
		fmt.Println(err)
		return
	}
	static := staged.Planners()[0]
	asked := &collective.Collective{Op: collective.Broadcast, Algorithm: "chain", Nodes: f.Nodes, Space: collective.SpaceOf(collective.Broadcast, f.Nodes, 1)}
	p, err := pieces.Algorithm{Pieces: open, Known: built}.Plan(static).Plan(context.Background(), planner.Request{Fabric: f, Collective: asked, Size: units.GiB})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Collective.Algorithm, p.Cost.Total())
	// Output: chain:parts=816 12.43ms
}
