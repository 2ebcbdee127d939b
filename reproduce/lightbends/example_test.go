package lightbends_test

import (
	"fmt"

	"github.com/lightpath-net/lightpath/reproduce/lightbends"
)

// A paper has a claim for every number that is checked; each claim's ID begins with the name of
// the paper.
func ExamplePaper() {
	paper := lightbends.Paper()
	fmt.Println(paper.Name, len(paper.Entries) > 0)
	// Output: light-bends true
}
