package classic_test

import (
	"fmt"

	"github.com/lightpath-net/lightpath/topology/classic"
)

func ExampleHoffmanSingleton() {
	g := classic.HoffmanSingleton()
	fmt.Println(len(g), "nodes of degree", len(g[0]))
	// Output: 50 nodes of degree 7
}
