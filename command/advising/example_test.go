package advising_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command/advising"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

func ExampleAdvice_TogetherSentence() {
	f := fabric.Default()
	f.Nodes = 8
	doubling := func(size units.Bytes) collective.Operation {
		return collective.Operation{Op: collective.AllReduce, Algorithm: "recursive-doubling", Size: size}
	}
	a, err := advising.Advise(context.Background(), advising.AdviseRequest{
		Fabric: f, Planner: "harvest", MostPorts: 2, Operation: doubling(units.KiB), More: []collective.Operation{doubling(units.MiB)},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(a.TogetherSentence())
	// Output: For all 2, each planned by itself and their times added up, one more port per GPU (ports 2) buys most: 32.75us instead of 51.49us, 1.57 times as fast.
}
