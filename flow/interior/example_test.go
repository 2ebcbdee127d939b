package interior_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/flow/interior"
	"github.com/lightpath-net/lightpath/topology"
)

// Node 0 of a square sends a byte to each other node. The byte for the far corner takes either
// way half and half, so a circuit carries 1.5 bytes.
func ExamplePoint() {
	square, _ := topology.Parse("BiRing(2,4)")
	circuits, flows := make([]float64, square.Bundles()), make([]float64, square.Bundles())
	for e := range circuits {
		circuits[e], flows[e] = 1, 1
	}
	point := interior.New(square, circuits, []int{0}, []float64{0, 1, 1, 1}, flows)
	proven := func([]float64) error { return nil }
	ended, err := point.Run(context.Background(), proven, func([]float64) (bool, error) { return true, nil })
	if err != nil || !ended {
		fmt.Println(ended, err)
		return
	}
	best, err := point.Settle(context.Background())
	for a, arc := range point.Arcs {
		if arc.From == 0 {
			fmt.Printf("%d-%d %.3f %v\n", arc.From, arc.To, best[a], err)
		}
	}
	// Output:
	// 0-1 1.500 <nil>
	// 0-3 1.500 <nil>
}
