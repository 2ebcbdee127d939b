package tuning_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command/tuning"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

func ExampleTuning_Lookup() {
	f := fabric.Default()
	f.Nodes = 8
	t, err := tuning.Tune(context.Background(), tuning.TuneRequest{
		Fabric: f, Op: collective.AllReduce, Planner: "static", Least: units.KiB, Most: units.GiB,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, size := range []units.Bytes{4 * units.KiB, 4 * units.MiB} {
		row, ok := t.Lookup(size)
		fmt.Println(size, ok, row.Algorithm)
	}
	// Output:
	// 4KiB true direct-exchange
	// 4MiB true ring
}
