package bound_test

import (
	"fmt"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

func ExampleOfAlgorithm() {
	f := fabric.Default()
	f.Nodes = 8
	c, err := algorithms.New(collective.AllReduce, "recursive-doubling", 8, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	b := bound.OfAlgorithm(&f, c, 8*units.MB)
	fmt.Println("every step on circuits of its own:", b.PerStep)
	fmt.Println("no schedule is faster than:", b.Schedule)
	// Output:
	// every step on circuits of its own: 146.0us
	// no schedule is faster than: 186.0us
}
