package sets_test

import (
	"fmt"

	"github.com/lightpath-net/lightpath/bound/sets"
)

// A ring of 16 GPUs that sums up in 22 steps of one hop: two GPUs for each part of the buffer get
// the sum of eight, exchange them, and spread the result.
func ExampleLoads_Of() {
	ring := sets.Shape{Stages: [sets.MaxStages]sets.Stage{{Steps: 22}}, Count: 1}
	fmt.Printf("%.2f buffers on every circuit\n", sets.NewLoads(16).Of(ring))
	// Output:
	// 2.75 buffers on every circuit
}
