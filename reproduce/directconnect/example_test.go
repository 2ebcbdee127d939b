package directconnect_test

import (
	"fmt"

	"github.com/lightpath-net/lightpath/reproduce/directconnect"
)

// A paper has a claim for every number that is checked; each claim's ID begins with the name of
// the paper.
func ExamplePaper() {
	paper := directconnect.Paper()
	fmt.Println(paper.Name, len(paper.Entries) > 0)
	// Output: direct-connect true
}
