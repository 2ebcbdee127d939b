package finder_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/planner/direct/finder"
	"github.com/lightpath-net/lightpath/units"
)

func Example() {
	ctx := context.Background()
	points, err := finder.New(4, finder.Options{Op: bfb.AllReduce}).Frontier(ctx, 20)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range points {
		fmt.Println(p.Expr, p.Steps, p.Bandwidth)
	}
	machine := finder.Machine{Alpha: 10 * units.Microsecond, NodeBandwidth: 100 * units.Gbps}
	for _, size := range []units.Bytes{units.MiB, 100 * units.MiB} {
		best, err := machine.Choose(points, []finder.Weighted{{Size: size, Weight: 1}})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(size, best.Point.Expr, best.Time)
	}
	// Output:
	// Kautz(4,1) 4 2/1
	// C(20;3,4) 6 19/10
	// 1MiB Kautz(4,1) 207.8us
	// 100MiB C(20;3,4) 16.00ms
}
