package weave_test

import (
	"fmt"

	"github.com/lightpath-net/lightpath/planner/joint/weave"
)

// Four trees in a graph of 64 nodes with four circuits each use every circuit both ways, but for
// those to the root.
func ExampleWeave() {
	shape := weave.Shape{Nodes: 64, Degree: 4, Trees: 4}
	w := weave.Weave(shape, func() bool { return false })
	fmt.Printf("%d trees of %d levels; none have fewer than %d\n", len(w.Parent), w.Depth, shape.Least())
	// Output: 4 trees of 6 levels; none have fewer than 5
}
