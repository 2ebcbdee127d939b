package sweep_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/sweep"
)

// A grid, and all of its cells, kept in memory.
func ExampleRun() {
	var axes []sweep.Axis
	for _, a := range [][2]string{{"op", "allreduce"}, {"algorithm", "recursive-doubling"}, {"planner", "harvest"}, {"size", "1MiB"}, {"reconfig", "1us,10us,100us"}} {
		axis, err := sweep.ParseAxis(a[0], a[1], 0)
		if err != nil {
			fmt.Println(err)
			return
		}
		axes = append(axes, axis)
	}
	ctx := context.Background()
	spec, err := sweep.NewSpec(fabric.Default(), axes, 0, "v1")
	if err != nil {
		fmt.Println(err)
		return
	}
	store, err := sweep.InMemory(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer store.Close()
	if err := sweep.Run(ctx, spec, store, solver(), sweep.Options{}); err != nil {
		fmt.Println(err)
		return
	}
	table, err := store.Load(ctx, spec)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range table.Cells {
		fmt.Println(c.Request.Fabric.Reconfig, c.Total, c.Reconfigurations)
	}
	// Output:
	// 1us 41.97us 8
	// 10us 75.39us 2
	// 100us 131.9us 0
}
