package garbage_test

import "github.com/lightpath-net/lightpath/internal/garbage"

// A program says at its start how much garbage it can do with.
func ExampleMost() {
	garbage.Most(384 << 20)
	// Output:
}
