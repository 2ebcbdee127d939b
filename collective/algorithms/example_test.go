package algorithms_test

import (
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
)

func ExampleNew() {
	c, err := algorithms.New(collective.ReduceScatter, "recursive-doubling", 8, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	const size = 64 << 20
	for i, step := range c.Steps {
		t := step.Base[0] // stands for its images under all rotations
		var ids []int
		for id := range t.Chunks.All() {
			ids = append(ids, id)
		}
		bytes := c.Space.Bytes(size, t.Chunks)
		fmt.Printf("step %d: %d transfers of %v MiB; node %d sends chunks %v to node %d\n",
			i+1, step.Len(), bytes/(1<<20), t.Src, ids, t.Dst)
	}
	// Output:
	// step 1: 8 transfers of 32 MiB; node 0 sends chunks [1 3 5 7] to node 1
	// step 2: 8 transfers of 16 MiB; node 0 sends chunks [2 6] to node 2
	// step 3: 8 transfers of 8 MiB; node 0 sends chunks [4] to node 4
}

func ExampleFor() {
	for _, a := range algorithms.For(collective.AllToAll, collective.Shape{Nodes: 6, Ports: 1}) {
		fmt.Println(a.Name)
	}
	// Output:
	// shift
	// direct
	// bruck-index
}
