package timetable_test

import (
	"context"
	"fmt"
	"os"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/compile/timetable"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// The example prints the commands of a switch for an allgather of four GPUs with one port each.
func Example() {
	f := fabric.Default()
	f.Nodes = 4
	c, _ := algorithms.New(collective.AllGather, "recursive-doubling", 4, 1)
	everyStep, _ := lightpath.Planners().Lookup("every-step")
	p, err := everyStep.Plan(context.Background(), planner.Request{Fabric: f, Collective: c, Size: units.MiB})
	if err != nil {
		fmt.Println(err)
		return
	}
	table, err := timetable.Of(p)
	if err != nil {
		fmt.Println(err)
		return
	}
	table.Stages = table.Stages[1:]
	if err := table.WriteSCPI(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// # stage 2: DC(4;1); barrier at 3.621us, up by 13.62us
	// # switch 0
	// :OXC:SWIT:CONN:SUB (@1),(@7)
	// :OXC:SWIT:CONN:SUB (@2),(@8)
	// :OXC:SWIT:CONN:SUB (@3),(@5)
	// :OXC:SWIT:CONN:SUB (@4),(@6)
	// :OXC:SWIT:CONN:ADD (@1),(@6)
	// :OXC:SWIT:CONN:ADD (@2),(@7)
	// :OXC:SWIT:CONN:ADD (@3),(@8)
	// :OXC:SWIT:CONN:ADD (@4),(@5)
}
