package collective_test

import (
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
)

func collect(c collective.Chunks) (ids []int) {
	for id := range c.All() {
		ids = append(ids, id)
	}
	return ids
}

func ExampleStep_All() {
	c, _ := algorithms.New(collective.AllReduce, "swing", 4, 1)
	for t := range c.Steps[1].All(c.Space) {
		fmt.Printf("%d to %d: %s %v\n", t.Src, t.Dst, t.Action, collect(t.Chunks))
	}
	// Output:
	// 0 to 3: reduce [3]
	// 1 to 2: reduce [2]
	// 2 to 1: reduce [1]
	// 3 to 0: reduce [0]
}
