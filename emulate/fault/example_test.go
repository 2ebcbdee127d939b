package fault_test

import (
	"fmt"

	"github.com/lightpath-net/lightpath/emulate/fault"
)

// Faults are parsed from their command-line form.
func ExampleParse() {
	for _, text := range []string{"link:3-4@step:5", "gpu:2@10us", "gpu:9@step:1", "fire"} {
		i, err := fault.Parse(text)
		if err == nil {
			err = i.Check(8, 14)
		}
		fmt.Println(i, err)
	}
	// Output:
	// link:3-4@step:5 <nil>
	// gpu:2@10us <nil>
	// gpu:9@step:1 gpu:9@step:1: there is no node 9; nodes are 0 to 7
	//  "fire": use link:U-V, link:U>V (one direction), slow:U-V:K, corrupt:U-V, gpu:U, stall:U, restart:U, garbage:U, clock:U, secret:U or switch, each with @step:N or @TIME, e.g. link:3-4@step:5 or gpu:2@10us
}
