package permutations_test

import (
	"fmt"
	"testing"

	"github.com/lightpath-net/lightpath/internal/permutations"
)

// All n! orders come, each once.
func TestEveryPermutationComesOnce(t *testing.T) {
	for n, want := 0, 1; n <= 7; n++ {
		want *= max(n, 1)
		seen := map[string]bool{}
		for p := range permutations.Of(n) {
			seen[fmt.Sprint(p)] = true
		}
		if len(seen) != want {
			t.Errorf("n=%d: %d permutations, want %d", n, len(seen), want)
		}
	}
}

func ExampleOf() {
	for p := range permutations.Of(3) {
		fmt.Println(p)
		if p[0] == 1 {
			break
		}
	}
	// Output:
	// [0 1 2]
	// [0 2 1]
	// [1 0 2]
}
