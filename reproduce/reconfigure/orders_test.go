package reconfigure

import (
	"math"
	"testing"

	"github.com/lightpath-net/lightpath/planner/exchange/strategy"
)

// The gaps computed by distances equal those of the strategy, which counts rounds.
func TestGapsAreThoseOfTheStrategy(t *testing.T) {
	for _, n := range []int{3, 4, 5, 8, 12, 31, 60, 64, 100, 360} {
		list, err := strategy.Ratios(t.Context(), strategy.Paper, []int{n})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := largestGap(n, ascending(n)), list[0].Value(); math.Abs(got-want) > 1e-12 {
			t.Errorf("%d nodes: %v, want %v", n, got, want)
		}
	}
}

// Fig. 13a does not hold for every number of nodes, with either order of shifts.
func TestGapsOfSingleNumbersOfNodes(t *testing.T) {
	for _, c := range []struct {
		nodes int
		order func(int) []int
		want  float64
	}{
		{64, ascending, 2.2270}, {60, ascending, 2.2646}, {3072, ascending, 4.5411}, {3780, ascending, 5.2764},
		{64, coprimeFirst, 2.0426}, {63, coprimeFirst, 2.3871}, {3072, coprimeFirst, 4.5022}, {4095, coprimeFirst, 8.0769},
	} {
		if got := largestGap(c.nodes, c.order(c.nodes)); math.Abs(got-c.want) > 5e-5 {
			t.Errorf("%d nodes: %.4f, want %.4f", c.nodes, got, c.want)
		}
	}
}

// The search finds a decomposition that is known to exist: P + P^2 + .. + P^7 of a cycle.
func TestDecompositionsAreFoundWhereTheyExist(t *testing.T) {
	var left [8][8]bool
	for u := range 8 {
		for v := range 8 {
			left[u][v] = u != v
		}
	}
	found := 0
	each(&left, permutation{}, 0, func(p permutation) {
		rest := left
		if take(&rest, p, 7) {
			found++
		}
	})
	if found != 5040 { // all cycles through eight nodes: 7!
		t.Errorf("%d cycles of 8 nodes, want 5040", found)
	}
}
