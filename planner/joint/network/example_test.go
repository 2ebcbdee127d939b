package network_test

import (
	"fmt"

	"github.com/lightpath-net/lightpath/planner/joint/network"
	"github.com/lightpath-net/lightpath/topology"
)

// On a ring of five GPUs the last one is four hops away.
func ExampleNetwork_Distances() {
	n := network.New(topology.DirectedCirculant(5, 1), topology.Rotations(5, 1))
	fmt.Println(n.Distances(0), n.Symmetric())
	// Output: [0 1 2 3 4] true
}
