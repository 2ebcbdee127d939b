package strategy

import (
	"testing"

	"github.com/lightpath-net/lightpath/planner/exchange/model"
)

// TestWordsReachMoreThanSums: with two ports and one topology of 64 nodes, groups that do not
// commute take little more than half the slots of circulants.
func TestWordsReachMoreThanSums(t *testing.T) {
	demand := uniformDemand(t, 64, 1)
	slots := make(map[string]int)
	for _, strategy := range []string{Relay, Cayley} {
		slots[strategy] = solved(t, Problem{Demand: demand, Ports: 2, R: 1, T: 1, Stages: 1, Strategy: strategy}).Slots()
	}
	if bound, _ := model.LoadBound(64, 2, 1); slots[Relay] != 260 || slots[Cayley] != 144 || bound != 132 {
		t.Errorf("%v, bound %d, want relay 260, cayley 144, bound 132", slots, bound)
	}
}
