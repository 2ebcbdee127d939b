package pass_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged/pass"
	"github.com/lightpath-net/lightpath/planner/staged/pool"
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
	"github.com/lightpath-net/lightpath/units"
)

// The best topology of HARVEST's pool for every step of recursive doubling on 8 GPUs.
func ExampleSearch() {
	f := fabric.Default()
	f.Nodes = 8
	c, err := algorithms.New(collective.AllReduce, "recursive-doubling", f.Nodes, f.Ports)
	if err != nil {
		fmt.Println(err)
		return
	}
	r := planner.Request{Fabric: f, Collective: c, Size: 4 * units.MiB}
	w := pricing.NewWorkload(&r, c.Steps)
	p, err := pool.Harvest(context.Background(), &r, w)
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := pass.Search(context.Background(), &r, pass.Problem{Work: w, Pool: p.Candidates})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d steps in %v\n", len(s.Choice), units.Time(s.Total))
	// Output: 6 steps in 110.9us
}
