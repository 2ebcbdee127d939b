package sliced_test

import (
	"fmt"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner/sliced"
	"github.com/lightpath-net/lightpath/units"
)

// A job has 6 and 4 GPUs of two islands of 8, which become islands of 2 for it. Another job holds
// a port.
func ExampleNew() {
	f := fabric.Default()
	f.Nodes, f.Ports, f.Island = 32, 2, fabric.Island{Size: 8, Bandwidth: 7200 * units.Gbps}
	if err := f.Set("held", "9.0"); err != nil {
		fmt.Println(err)
		return
	}
	p, err := sliced.New(&f, []int{0, 1, 2, 3, 4, 5, 8, 9, 10, 11})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Fabric.Nodes, "GPUs in islands of", p.Fabric.Island.Size, "without", p.Fabric.Avoid)
	// Output: 10 GPUs in islands of 2 without port:7
}
