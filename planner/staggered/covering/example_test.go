package covering_test

import (
	"fmt"

	"github.com/lightpath-net/lightpath/planner/staggered/covering"
)

// The least x + 2y with x + y >= 3 and y >= 1.
func ExampleProgram() {
	p := covering.New([]float64{1, 2})
	p.Add(3, covering.Term{Column: 0, Value: 1}, covering.Term{Column: 1, Value: 1})
	p.Add(1, covering.Term{Column: 1, Value: 1})
	fmt.Println(p.Solve())
	fmt.Println("prices", p.Prices)
	// Output:
	// [2 1] true
	// prices [1 1]
}
