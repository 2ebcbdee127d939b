package algorithms_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
)

// Every block moves once. In step k node u swaps with u XOR k, which takes n-1 steps.
func TestPairwiseSwapsEveryBlockOnce(t *testing.T) {
	forEachExchange(t, "pairwise", append(exchangeSizes(), 256), func(x exchange) error {
		if len(x.Steps) != x.Nodes-1 {
			return fmt.Errorf("%d steps, want %d", len(x.Steps), x.Nodes-1)
		}
		for i, step := range x.Steps {
			for m := range step.All(x.Space) {
				if m.Dst != m.Src^(i+1) || m.Chunks.Len() != 1 || m.Chunks[0].First != m.Src*x.Nodes+m.Dst {
					return fmt.Errorf("step %d: transfer %+v", i+1, m)
				}
			}
		}
		return x.checkMoves(func(offset, _ int) int { return min(offset, 1) })
	})
}

func TestPairwiseNeedsAPowerOfTwo(t *testing.T) {
	_, err := algorithms.New(collective.AllToAll, "pairwise", 12, 1)
	if !errors.Is(err, algorithms.ErrUnsupported) || !strings.Contains(err.Error(), "a power of two nodes (2, 4, 8, ..), not 12") {
		t.Error(err)
	}
}
