package reproducing_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/command/reproducing"
)

// A reproduction matches its record if nothing is unexpected.
func ExampleReproduction_Unexpected() {
	r, err := reproducing.Reproduce(context.Background(), reproducing.ReproduceRequest{ID: "harvest/table1/G1-G1-G1"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(r.Rows), len(r.Unexpected()))
	// Output: 3 0
}
