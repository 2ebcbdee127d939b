package lowtrees_test

import (
	"fmt"

	"github.com/lightpath-net/lightpath/planner/joint/lowtrees"
)

// Four trees in a graph of 64 nodes with four circuits each use every circuit both ways, but for
// those to the root.
func ExampleFind() {
	shape := lowtrees.Shape{Nodes: 64, Degree: 4, Trees: 4}
	w := lowtrees.Find(shape, func() bool { return false })
	fmt.Printf("%d trees of %d levels; none have fewer than %d\n", len(w.Parent), w.Depth, shape.Least())
	// Output: 4 trees of 6 levels; none have fewer than 5
}
