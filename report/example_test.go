package report_test

import (
	"context"
	"fmt"
	"os"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/report"
	"github.com/lightpath-net/lightpath/units"
)

// The same answer as a table for people and as lines for other programs.
func ExampleFormat() {
	f := fabric.Default()
	f.Nodes = 8
	frontier, err := lightpath.FindFrontier(context.Background(), lightpath.FrontierRequest{
		Fabric: f, Planner: "harvest", Operation: lightpath.Operation{Op: collective.AllReduce, Algorithm: "swing", Size: units.MiB},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, name := range []string{"text", "csv"} {
		form, err := report.FormatOf(name)
		if err != nil {
			fmt.Println(err)
			return
		}
		if err := form.Write(os.Stdout, lightpath.Render(frontier)); err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// allreduce of 1MiB on 8 GPUs for every reconfiguration delay
	//
	//   delay from       to  algorithm  planner  reconfigurations  communication
	//          0ns  16.80us  swing      harvest                 4        24.35us
	//      16.80us  17.73us  swing      harvest                 2        57.94us
	//      17.73us      any  swing      harvest                 0        93.40us
	//
	//   time = communication + reconfigurations x delay
	// algorithm,planner,reconfigurations,communication_ns,from_reconfig_ns,to_reconfig_ns
	// swing,harvest,4,24350.08,0,16796.48
	// swing,harvest,2,57943.04,16796.48,17728.640000000003
	// swing,harvest,0,93400.32,17728.640000000003,
}
