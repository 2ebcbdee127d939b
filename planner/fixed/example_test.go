package fixed_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner/fixed"
	"github.com/lightpath-net/lightpath/planner/portfolio"
	"github.com/lightpath-net/lightpath/units"
)

// Two boards of 2x4 GPUs make a torus of 4x4: circuits join their faces.
func ExampleLift() {
	f := fabric.Default()
	f.Nodes, f.Ports = 16, 2
	if err := f.Set("fixed", "Mesh(2,4)"); err != nil {
		fmt.Println(err)
		return
	}
	n := fixed.Networks(&f)[0]
	s := portfolio.NewSearch(portfolio.Options{Planners: portfolio.Planners(), Bare: true})
	r := portfolio.Request{Fabric: n.Fabric, Operations: []collective.Operation{{Op: collective.AllGather, Size: 1 * units.MiB}}}
	torus, err := r.Fastest(context.Background(), s.Planners().Best(), s)
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := fixed.Lift(context.Background(), torus, &n, &f)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s: %v; %s of %d circuits: %v\n", n.Fabric.Base, torus.Cost.Total(), p.Stages[0].Topology.Name(), p.Stages[0].Topology.Circuits(), p.Cost.Total())
	// Output: Torus(4,4): 6.121us; faces of 4x4 of 24 circuits: 6.121us
}
