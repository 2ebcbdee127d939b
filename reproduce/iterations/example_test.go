package iterations_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/reproduce/iterations"
)

// A published iteration is computed from the model's work and one efficiency of its GPU.
func ExamplePaper() {
	for _, e := range iterations.Paper().Entries {
		if e.ID == "iterations/megatron-175b/selective" {
			row, err := e.Run(context.Background())
			fmt.Println(row.Published, row.Verdict, err)
		}
	}
	// Output: 13.75 matched <nil>
}
