package placing_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/command/placing"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// Other jobs hold parts of the first islands, so the job gets the two free islands.
func ExamplePlace() {
	f := fabric.Default()
	f.Nodes, f.Island = 8, fabric.Island{Size: 2, Bandwidth: 7200 * units.Gbps}
	if err := f.Set("held", "0,3"); err != nil {
		fmt.Println(err)
		return
	}
	a, err := placing.Place(context.Background(), placing.PlaceRequest{Fabric: f, NodesNeeded: 4})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(a.GPUs, a.TotalNs)
	// Output: [4 5 6 7] 27.30us
}
