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
	f.Nodes, f.Island = 16, fabric.Island{Size: 4, Bandwidth: 7200 * units.Gbps}
	if err := f.Set("held", "0,5"); err != nil {
		fmt.Println(err)
		return
	}
	a, err := placing.Place(context.Background(), placing.PlaceRequest{Fabric: f, NodesNeeded: 8})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(a.GPUs, a.TotalNs)
	// Output: [8 9 10 11 12 13 14 15] 17.69us
}
