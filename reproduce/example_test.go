package reproduce_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/reproduce"
)

func ExampleFind() {
	entries, err := reproduce.Find("reconfigure-or-not/example/best")
	if err != nil {
		fmt.Println(err)
		return
	}
	row, err := entries[0].Run(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("published %v%s, ours %v%s: %s\n", row.Published, row.Unit, *row.Ours, row.Unit, row.Verdict)
	// Output: published 30T, ours 28T: better
}
