package harvest_test

import (
	"fmt"

	"github.com/lightpath-net/lightpath/reproduce/harvest"
)

// A paper has a claim for every number that is checked; each claim's ID begins with the name of
// the paper.
func ExamplePaper() {
	paper := harvest.Paper()
	fmt.Println(paper.Name, len(paper.Entries) > 0)
	// Output: harvest true
}
