package resized_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/resized"
	"github.com/lightpath-net/lightpath/units"
)

// An allreduce for 37 GPUs is one for a number with smaller factors, with GPUs inserted into its
// circuits or without some of its GPUs.
func ExampleNew() {
	f := fabric.Default()
	f.Nodes = 37
	f.Reconfig.Base = 100 * units.Microsecond
	find := func(ctx context.Context, nodes int, r planner.Request) ([]*plan.Plan, error) {
		p, err := joined(ctx, r.Fabric, nodes, r.Size)
		return []*plan.Plan{p}, err
	}
	p, err := resized.New(find).Plan(context.Background(), planner.Request{Fabric: f, Collective: sum(37), Size: 64 * units.KiB})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%v, %s\n", p.Cost.Total(), p.Strategy)
	// Output: 30.66us, from 40 GPUs (joint: digit of 40: gather 5, exchange 2, exchange 2, exchange 2 on UniRing(1,40))
}
