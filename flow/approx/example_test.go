package approx_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/flow/approx"
	"github.com/lightpath-net/lightpath/topology"
)

// Twelve bytes all take one way round a square. Sweep splits them over both ways.
func ExamplePotential_Sweep() {
	square, _ := topology.Parse("BiRing(2,4)")
	class, circuits := make([]int32, square.Bundles()), make([]float64, square.Bundles())
	for e := range class {
		class[e], circuits[e] = int32(e), 1
	}
	var paths approx.PathFlows
	paths.Reset()
	paths.AddRoute(square, []int32{0, 1, 2}, 12)
	paths.AddRoute(square, []int32{0, 3, 2}, 0)
	paths.EndDemand()

	potential := approx.NewPotential(class, circuits)
	fmt.Println(potential.Load(&paths))
	potential.SetLengths(1)
	if err := potential.Sweep(context.Background(), &paths); err != nil {
		fmt.Println(err)
	}
	fmt.Printf("%.3f\n", potential.Load(&paths))
	// Output:
	// 12
	// 6.000
}
