package disjoint_test

import (
	"fmt"

	"github.com/lightpath-net/lightpath/internal/disjoint"
)

func Example() {
	sets := disjoint.New(5)
	sets.Join(0, 1)
	sets.Join(3, 4)
	sets.Join(1, 4)
	fmt.Println(sets.Find(0) == sets.Find(3), sets.Find(0) == sets.Find(2))
	// Output: true false
}
