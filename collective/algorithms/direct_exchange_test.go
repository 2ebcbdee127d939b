package algorithms_test

import (
	"testing"

	"github.com/lightpath-net/lightpath/collective"
)

// One step per half, a block to each of n-1 peers.
func TestDirectExchange(t *testing.T) {
	checkReduction(t, reductionCase{
		algorithm: "direct-exchange",
		ops:       allReductions,
		supports:  anySize,
		bulk:      true,
		loads: func(op collective.Op, n, _ int) []load {
			half := []load{{peers: n - 1, toOne: 1, inAll: n - 1}}
			return bothHalves(op, half, half)
		},
	})
}
