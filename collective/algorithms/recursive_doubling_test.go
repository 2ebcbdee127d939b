package algorithms_test

import (
	"math/bits"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
)

// TestRecursiveDoublingOnAnySize counts the blocks at every offset by the digits of
// all distances: ceil(log2 n) steps per half (Kolmakov and Zhang 2020), n-1 blocks.
func TestRecursiveDoublingOnAnySize(t *testing.T) {
	checkReduction(t, reductionCase{
		algorithm: "recursive-doubling",
		ops:       allReductions,
		supports:  anySize,
		loads: func(op collective.Op, n, _ int) []load {
			var scatter []load
			sent := 0
			for i := range bits.Len(uint(n - 1)) {
				digits := 0 // the distances above digit i that occur, where that digit is 1
				for d := 0; d < n; d += 1 << i {
					digits += d >> i & 1
				}
				scatter = append(scatter, load{peers: 1, toOne: digits, inAll: digits})
				sent += digits
			}
			if sent != n-1 {
				t.Errorf("%d nodes: %d blocks per half, want %d", n, sent, n-1)
			}
			return bothHalves(op, scatter, backwards(scatter))
		},
	})
}
