package strategy

import (
	"testing"

	"github.com/lightpath-net/lightpath/planner/exchange/jumpset"
)

// TestTwoJumpsAreTheBestPair compares relay with two topologies with all pairs of jumps.
func TestTwoJumpsAreTheBestPair(t *testing.T) {
	for n := 3; n <= 36; n++ {
		s := solved(t, Problem{Demand: uniformDemand(t, n, 1), Ports: 1, R: 1, T: 1, Stages: 2, Strategy: Relay})
		best := jumpset.MaxTotal
		for a := 1; a < n; a++ {
			for b := a; b < n; b++ {
				best = min(best, jumpset.DistancesOf(n, []int{a, b}).Total)
			}
		}
		if s.Slots() != best {
			t.Errorf("n=%d: %d slots, the best pair of jumps takes %d", n, s.Slots(), best)
		}
	}
}
