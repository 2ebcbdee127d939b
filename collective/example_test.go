package collective_test

import (
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
)

func ExampleNew() {
	c, err := collective.New(collective.ReduceScatter, "recursive-doubling", 8, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	const size = 64 << 20
	for i, step := range c.Steps {
		t := step.Base[0] // stands for its images under all rotations
		bytes := c.Space.Bytes(size, t.Chunks)
		fmt.Printf("step %d: %d transfers of %v MiB; node %d sends chunks %v to node %d\n",
			i+1, step.Len(), bytes/(1<<20), t.Src, collect(t.Chunks), t.Dst)
	}
	// Output:
	// step 1: 8 transfers of 32 MiB; node 0 sends chunks [1 3 5 7] to node 1
	// step 2: 8 transfers of 16 MiB; node 0 sends chunks [2 6] to node 2
	// step 3: 8 transfers of 8 MiB; node 0 sends chunks [4] to node 4
}

func collect(c collective.Chunks) (ids []int) {
	for id := range c.All() {
		ids = append(ids, id)
	}
	return ids
}

func ExampleStep_All() {
	c, _ := collective.New(collective.AllReduce, "swing", 4, 1)
	for t := range c.Steps[1].All(c.Space) {
		fmt.Printf("%d to %d: %s %v\n", t.Src, t.Dst, t.Action, collect(t.Chunks))
	}
	// Output:
	// 0 to 3: reduce [3]
	// 1 to 2: reduce [2]
	// 2 to 1: reduce [1]
	// 3 to 0: reduce [0]
}

func ExampleFor() {
	for _, a := range collective.For(collective.AllToAll, collective.Shape{Nodes: 6, Ports: 1}) {
		fmt.Println(a.Name)
	}
	// Output:
	// shift
	// direct
	// bruck-index
}
