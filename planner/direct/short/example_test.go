package short_test

import (
	"fmt"

	"github.com/lightpath-net/lightpath/planner/direct/short"
)

// A search has found a graph of 29 nodes with three circuits each and a diameter of 3.
func ExampleOf() {
	expr, ok := short.Of(29, 3, false)
	if !ok {
		fmt.Println("there is none")
		return
	}
	g, err := expr.Build()
	if err != nil {
		panic(err)
	}
	far, _ := g.Diameter()
	fmt.Println(g.Nodes(), "nodes, diameter", far)
	// Output: 29 nodes, diameter 3
}
