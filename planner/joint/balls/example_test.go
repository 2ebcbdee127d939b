package balls_test

import (
	"fmt"

	"github.com/lightpath-net/lightpath/planner/joint/balls"
	"github.com/lightpath-net/lightpath/planner/joint/network"
	"github.com/lightpath-net/lightpath/topology"
)

// 12 points with two ports sum up in steps of one and two hops.
func ExampleFind() {
	g, err := topology.Parse("Kautz(2,2)")
	if err != nil {
		panic(err)
	}
	found := balls.Find(network.New(g, topology.Translations{}), 1, func() bool { return false })
	for _, takes := range found.Takes {
		fmt.Println(takes.Hops, "hops,", takes.Peak, "vectors")
	}
	for _, w := range found.Second {
		if w.Path[len(w.Path)-1] == 0 {
			fmt.Printf("point 0 gets %q of point %d on %v\n", w.Of, w.Path[0], w.Path)
		}
	}
	// Output:
	// 1 hops, 1 vectors
	// 2 hops, 4 vectors
	// point 0 gets "" of point 6 on [6 8 0]
	// point 0 gets "" of point 10 on [10 4 0]
	// point 0 gets "" of point 2 on [2 8 0]
}
