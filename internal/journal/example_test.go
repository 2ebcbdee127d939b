package journal_test

import (
	"fmt"

	"github.com/lightpath-net/lightpath/internal/journal"
)

// What is appended comes back in order.
func Example() {
	j := journal.InMemory("a journal of examples\n")
	defer j.Close()
	for _, text := range []string{"first", "second"} {
		if err := j.Append([]byte(text)); err != nil {
			fmt.Println(err)
		}
	}
	err := j.Each(func(data []byte) error {
		fmt.Println(string(data))
		return nil
	})
	fmt.Println(err)
	// Output:
	// first
	// second
	// <nil>
}
