package garbage_test

import "github.com/lightpath-net/lightpath/internal/garbage"

// A program sets at its start how much garbage it allows.
func ExampleMost() {
	garbage.Most(160 << 20)
	// Output:
}
