package digit_test

import (
	"fmt"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner/joint/digit"
	"github.com/lightpath-net/lightpath/units"
)

// The best way to split 64 GPUs into digits for an allgather of 4 MiB.
func ExampleNewSearch() {
	f := fabric.Default()
	s := digit.NewSearch(digit.Question{
		Machine: digit.NewMachine(&f, f.Ports, f.Nodes), Limits: digit.Limits{Changes: digit.AnyChanges},
		Keep: 1, Nodes: f.Nodes, Bytes: float64(4 * units.MiB), Stopped: func() bool { return false },
	})
	best := s.Solve(digit.Task{Op: digit.AllGather, Nodes: f.Nodes, Scale: 1, Changes: digit.AnyChanges})[0]
	fmt.Println(units.Time(best.Time))
	// Output: 65.29us
}
