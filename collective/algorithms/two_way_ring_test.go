package algorithms_test

import (
	"testing"

	"github.com/lightpath-net/lightpath/collective"
)

// Each half takes n-1 steps, which send m/(2n) to each of the two neighbours.
func TestTwoWayRing(t *testing.T) {
	checkReduction(t, reductionCase{
		algorithm: "two-way-ring",
		ops:       allReductions,
		supports:  func(_ collective.Op, _, ports int) bool { return ports >= 2 },
		loads: func(op collective.Op, n, _ int) []load {
			each := load{peers: 2, toOne: 1, inAll: 2}
			if n == 2 { // both neighbours are the same
				each = load{peers: 1, toOne: 2, inAll: 2}
			}
			var half []load
			for range n - 1 {
				half = append(half, each)
			}
			return bothHalves(op, half, half)
		},
	})
}
