package harvest_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/compile/harvest"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// A plan is written in the format of HARVEST's authors and read back. With the steps of the
// collective, the circuits become a plan again that takes the same time.
func Example() {
	ctx := context.Background()
	f := fabric.Default()
	f.Nodes = 4
	p, err := lightpath.Plan(ctx, lightpath.PlanRequest{
		Fabric: f, Planner: "harvest",
		Operations: []lightpath.Operation{{Op: collective.AllGather, Algorithm: "recursive-doubling", Size: 4 * units.MiB}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	s := harvest.Of(p)
	fmt.Println(s.Collective, s.Cost, "ns,", s.Reconfigs, "change")
	for _, step := range s.Steps {
		fmt.Println(step.Step, step.Topology)
	}
	c, err := algorithms.New(collective.AllGather, "recursive-doubling", 4, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	again, err := s.Plan(ctx, collective.Sized{Collective: c, Size: 4 * units.MiB}, f)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(again.Cost.Total(), again.Cost.Total() == p.Cost.Total())
	// Output:
	// allgather-recursive-doubling 43457.28 ns, 1 change
	// 1 [[0 2 1] [1 3 1] [2 0 1] [3 1 1]]
	// 2 [[0 1 1] [1 2 1] [2 3 1] [3 0 1]]
	// 43.46us true
}
