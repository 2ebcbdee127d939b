package cast_test

import (
	"fmt"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner/joint/cast"
	"github.com/lightpath-net/lightpath/planner/joint/digit"
	"github.com/lightpath-net/lightpath/units"
)

// The fastest broadcast of 1 MiB on 8 GPUs with one port.
func ExampleAll() {
	f := fabric.Default()
	f.Nodes = 8
	s := digit.NewSearch(digit.Question{
		Machine: digit.NewMachine(&f, f.Ports, f.Nodes), Limits: digit.Limits{Changes: digit.AnyChanges},
		Keep: 1, Nodes: f.Nodes, Bytes: float64(units.MiB), Stopped: func() bool { return false },
	})
	best := cast.All(s, f.Nodes, float64(units.MiB))[0]
	fmt.Printf("%s: %v\n", best.About, units.Time(best.Time))
	// Output: 8 pieces down a chain that is filled first: 29.35us
}
