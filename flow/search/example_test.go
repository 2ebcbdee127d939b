package search_test

import (
	"fmt"

	"github.com/lightpath-net/lightpath/flow/search"
	"github.com/lightpath-net/lightpath/topology"
)

// If one circuit is long, paths go round the other way.
func ExampleNew() {
	ring, _ := topology.Parse("BiRing(2,5)")
	class, length := make([]int32, ring.Bundles()), make([]float64, ring.Bundles())
	for e := range class { // every circuit is a class of its own
		class[e], length[e] = int32(e), 1
	}
	length[ring.Find(0, 1)] = 10
	paths := search.New(ring, class, 0)
	paths.Search(0, []int32{1}, length, 0)
	fmt.Println(paths.Path(1), paths.Distance(1))
	// Output: [0 4 3 2 1] 4
}
