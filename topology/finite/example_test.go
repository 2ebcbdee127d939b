package finite_test

import (
	"fmt"

	"github.com/lightpath-net/lightpath/topology/finite"
)

func ExampleField_Line() {
	f := finite.NewField(2)
	points := f.Points(3, func([]int) bool { return true })
	fmt.Println(len(points), "points of the Fano plane; through the first two:", f.Line(points, 0, 1))
	// Output: 7 points of the Fano plane; through the first two: [0 1 2]
}
