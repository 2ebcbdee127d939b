package iterations_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/command/iterating"
	"github.com/lightpath-net/lightpath/emulate/iterations"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/workload/model"
	"github.com/lightpath-net/lightpath/workload/parallel"
)

// Ranks with the same plan compute the same digest of it. Jobs are laid out from the plan's
// agenda.
func ExampleNew() {
	f := fabric.Default()
	f.Ports = 2
	m := &model.Model{Name: "small", Layers: 2, Hidden: 512, Heads: 4, FFN: 2048, Words: 2048, Norm: "rms", Length: 256}
	d, err := iterating.Iterate(context.Background(), iterating.IterateRequest{Model: m, Config: parallel.Config{TP: 2, DP: 2, GlobalBatch: 2}, Fabric: f})
	if err != nil {
		fmt.Println(err)
		return
	}
	a, err := iterating.Agenda(context.Background(), d)
	if err != nil {
		fmt.Println(err)
		return
	}
	once, err := iterations.New(context.Background(), a, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	twice, err := iterations.New(context.Background(), a, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(twice.List) >= 2*len(once.List)-1)
	// Output: true
}
