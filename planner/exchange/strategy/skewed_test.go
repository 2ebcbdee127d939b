package strategy

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/flow/matching"
	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/model/modeltest"
)

// TestEveryStrategyForDemandsThatDiffer: schedules are proved, at or above the bound, and
// Auto is never worse than any.
func TestEveryStrategyForDemandsThatDiffer(t *testing.T) {
	for _, kind := range modeltest.Kinds {
		for _, c := range []struct{ n, k int }{{8, 1}, {7, 2}} {
			demand := modeltest.Skewed(t, kind, c.n)
			for _, r := range []float64{0, 30} {
				best := math.Inf(1)
				for _, strategy := range Names() {
					p := Problem{Demand: demand, Ports: c.k, R: r, T: 1, Strategy: strategy}
					s, err := Solve(context.Background(), p)
					if err != nil {
						continue // strategies for uniform demand only
					}
					if err := s.Check(demand); err != nil {
						t.Fatalf("%s %s n=%d k=%d: %v", strategy, kind, c.n, c.k, err)
					}
					bound, err := model.DemandBound(demand, c.k, len(s.Stages))
					if err != nil || s.Slots() < bound {
						t.Errorf("%s %s n=%d k=%d: %d slots, bound %d, %v", strategy, kind, c.n, c.k, s.Slots(), bound, err)
					}
					if strategy == Auto && s.Cost(r, 1) > best {
						t.Errorf("%s n=%d k=%d R=%v: auto %v, another strategy %v", kind, c.n, c.k, r, s.Cost(r, 1), best)
					}
					best = min(best, s.Cost(r, 1))
				}
			}
		}
	}
}

// TestBaselinesCoincideWithOnePort: with one port DirectConnect and TopoOpt are a ring (section
// 5.2), on which every chunk has only one way.
func TestBaselinesCoincideWithOnePort(t *testing.T) {
	demand := modeltest.Skewed(t, "random", 9)
	load := make([]int, 9)
	for u := range 9 {
		for v := range 9 {
			for w := u; w != v; w = (w + 1) % 9 {
				load[w] += demand.Count(u, v)
			}
		}
	}
	for _, strategy := range []string{Static, Rings} {
		s := solved(t, Problem{Demand: demand, Ports: 1, R: 1, T: 1, Strategy: strategy})
		if s.Slots() != slices.Max(load) {
			t.Errorf("%s: %d slots, want %d", strategy, s.Slots(), slices.Max(load))
		}
	}
}

// TestMatchingsWithoutDelayTakeTheLeastTime: with R = 0 the division into matchings lasts as
// long as the busiest node sends or receives.
func TestMatchingsWithoutDelayTakeTheLeastTime(t *testing.T) {
	for _, kind := range modeltest.Kinds {
		demand := modeltest.Skewed(t, kind, 8)
		matrix := make([][]float64, 8)
		for u := range matrix {
			matrix[u] = make([]float64, 8)
			for v := range matrix[u] {
				matrix[u][v] = float64(demand.Count(u, v))
			}
		}
		want, err := matching.SlotBound(matrix)
		if err != nil {
			t.Fatal(err)
		}
		s := solved(t, Problem{Demand: demand, Ports: 1, R: 0, T: 1, Strategy: Birkhoff})
		if float64(s.Slots()) != want {
			t.Errorf("%s: %d slots, want %v", kind, s.Slots(), want)
		}
	}
}

// TestGreedyRingHoldsAllNodes and begins with the heaviest pair.
func TestGreedyRingHoldsAllNodes(t *testing.T) {
	for _, kind := range []string{"random", "sparse"} {
		for n := 2; n <= 12; n++ {
			pairs := heaviestFirst(modeltest.Skewed(t, kind, max(n, 4)))
			nodes := max(n, 4)
			next := greedyRing(nodes, pairs)
			if next[pairs[0][0]] != pairs[0][1] {
				t.Errorf("n=%d: the heaviest pair %v has no circuit", nodes, pairs[0])
			}
			at, steps := next[0], 1
			for ; at != 0 && steps <= nodes; steps++ {
				at = next[at]
			}
			if at != 0 || steps != nodes {
				t.Errorf("n=%d: %v is not a ring", nodes, next)
			}
		}
	}
}
