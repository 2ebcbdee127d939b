package iterating_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/command/iterating"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload/model"
	"github.com/lightpath-net/lightpath/workload/parallel"
)

// With one port, tensor and data parallel groups take turns.
func ExampleIterate() {
	f := fabric.Default()
	f.Nodes, f.Ports, f.Reconfig.Base = 4, 1, 10*units.Microsecond
	m, err := model.Named("llama3-8b")
	if err != nil {
		fmt.Println(err)
		return
	}
	d, err := iterating.Iterate(context.Background(), iterating.IterateRequest{Model: m, Config: parallel.Config{TP: 2, DP: 2, GlobalBatch: 2}, Fabric: f})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(d.Reconfigurations > 0, d.Iteration < d.Baselines["one"])
	// Output: true true
}
