package islands_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner/islands"
	"github.com/lightpath-net/lightpath/planner/portfolio"
	"github.com/lightpath-net/lightpath/units"
)

// An island of 4 GPUs with one port each is a node with 4 ports. A plan for these nodes becomes a
// plan for the GPUs.
func ExampleLift() {
	f := fabric.Default()
	f.Nodes, f.Island = 16, fabric.Island{Size: 4, Bandwidth: 7200 * units.Gbps}
	c := islands.Cores(&f)[0]
	s := portfolio.NewSearch(portfolio.Options{Planners: portfolio.Planners(), Bare: true})
	size := units.Bytes(1 << 20)
	r := portfolio.Request{Fabric: c.Fabric, Operations: []collective.Operation{{Op: collective.AllGather, Size: c.Size(&f, collective.AllGather, size)}}}
	core, err := r.Fastest(context.Background(), s.Planners().Best(), s)
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := islands.Lift(context.Background(), core, c, &f, size, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d nodes with %d ports: %v; %d GPUs: %v\n", c.Fabric.Nodes, c.Fabric.Ports, core.Cost.Total(), p.Fabric.Nodes, p.Cost.Total())
	// Output: 4 nodes with 4 ports: 4.121us; 16 GPUs: 5.995us
}
