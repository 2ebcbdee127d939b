package sweeping_test

import (
	"fmt"

	"github.com/lightpath-net/lightpath/command/sweeping"
	"github.com/lightpath-net/lightpath/sweep"
)

// The cells of a grid are known before any of them is planned.
func ExampleSweepRequest_Spec() {
	r := sweeping.SweepRequest{Axes: []sweep.Axis{
		{Name: "op", Values: []string{"allreduce"}}, {Name: "size", Values: []string{"1MiB..4MiB"}}, {Name: "reconfig", Values: []string{"1us", "1ms"}},
	}}
	if err := r.Complete(); err != nil {
		fmt.Println(err)
		return
	}
	spec, err := r.Spec()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, a := range spec.Axes {
		fmt.Println(a.Name, a.Values)
	}
	// Output:
	// op [allreduce]
	// algorithm [auto]
	// planner [auto]
	// size [1MiB 2MiB 4MiB]
	// reconfig [1us 1ms]
}
