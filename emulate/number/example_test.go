package number_test

import (
	"fmt"

	"github.com/lightpath-net/lightpath/emulate/number"
)

// Two ranks' contributions are summed, and the sum is checked without either of them.
func ExampleData() {
	data := number.Data{Type: number.BFloat16, Seed: 1, Nodes: 2}
	sum, other := make([]byte, 200), make([]byte, 200)
	data.Fill(sum, 0, 7, true)
	data.Fill(other, 1, 7, true)
	fmt.Println(data.Check(sum, 7, []int{0, 1}, true, 1) == nil)
	number.BFloat16.Add(sum, other)
	fmt.Println(data.Check(sum, 7, []int{0, 1}, true, 1) == nil)
	// Output:
	// false
	// true
}
