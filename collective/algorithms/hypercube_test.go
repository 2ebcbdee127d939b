package algorithms_test

import (
	"errors"
	"fmt"
	"math/bits"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
)

// In step i every node swaps half of its blocks with u XOR 2^i, and a block moves once for every
// bit in which its source and its target differ.
func TestHypercubeSwapsHalfOfAllBlocksInEveryStep(t *testing.T) {
	forEachExchange(t, "hypercube", append(exchangeSizes(), 256), func(x exchange) error {
		if want := bits.Len(uint(x.Nodes)) - 1; len(x.Steps) != want {
			return fmt.Errorf("%d steps, want %d", len(x.Steps), want)
		}
		moves := make([]int, x.Nodes*x.Nodes)
		for i, step := range x.Steps {
			for m := range step.All(x.Space) {
				if m.Dst != m.Src^1<<i || m.Chunks.Len() != x.Nodes/2 {
					return fmt.Errorf("step %d: %d to %d, %d blocks", i+1, m.Src, m.Dst, m.Chunks.Len())
				}
				for c := range m.Chunks.All() {
					moves[c]++
				}
			}
		}
		for c, count := range moves {
			if want := bits.OnesCount(uint(c/x.Nodes ^ c%x.Nodes)); count != want {
				return fmt.Errorf("block %d moves %d times, want %d", c, count, want)
			}
		}
		return nil
	})
}

func TestHypercubeNeedsAPowerOfTwo(t *testing.T) {
	_, err := algorithms.New(collective.AllToAll, "hypercube", 12, 1)
	if !errors.Is(err, algorithms.ErrUnsupported) || !strings.Contains(err.Error(), "a power of two nodes (2, 4, 8, ..), not 12") {
		t.Error(err)
	}
}
