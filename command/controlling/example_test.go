package controlling_test

import (
	"fmt"

	"github.com/lightpath-net/lightpath/command/controlling"
	"github.com/lightpath-net/lightpath/compile/timetable"
)

// Missing fields are reported before any switch is contacted.
func ExampleApplyRequest_Complete() {
	r := controlling.ApplyRequest{Setup: controlling.Setup{Timetable: &timetable.Table{}, Reach: controlling.Reach{SwitchesFile: "switches.yaml"}}}
	fmt.Println(r.Complete())
	// Output: port_map: missing, and the timetable has none; want gpu,port,switch,ingress,egress
}
