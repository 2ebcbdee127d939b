package exchange

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/flow"
)

// skew returns a demand of one of the paper's kinds (section 5.1), or one with many pairs
// that have nothing to send.
func skew(t testing.TB, kind string, n int) Demand {
	t.Helper()
	random := rand.New(rand.NewPCG(uint64(n), 9))
	rank := random.Perm(n * n)
	counts := make([][]int, n)
	for u := range counts {
		counts[u] = make([]int, n)
		for v := range counts[u] {
			switch kind {
			case "random":
				counts[u][v] = 1 + random.IntN(7)
			case "zipf":
				counts[u][v] = int(math.Round(2.4 * math.Pow(float64(1+rank[u*n+v])/float64(n*n), -0.4)))
			case "sparse":
				counts[u][v] = random.IntN(9) * (random.IntN(4) / 3)
			}
		}
	}
	d, err := Counts(counts)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestEveryStrategyForDemandsThatDiffer: schedules are proved, at or above the bound, and
// Auto is never worse than any.
func TestEveryStrategyForDemandsThatDiffer(t *testing.T) {
	for _, kind := range []string{"random", "zipf", "sparse"} {
		for _, c := range []struct{ n, k int }{{8, 1}, {7, 2}} {
			demand := skew(t, kind, c.n)
			for _, r := range []float64{0, 30} {
				best := math.Inf(1)
				for _, strategy := range Strategies() {
					p := Problem{Demand: demand, Ports: c.k, R: r, T: 1, Strategy: strategy}
					s, err := Solve(context.Background(), p)
					if err != nil {
						continue // strategies for uniform demand only
					}
					if err := s.Check(demand); err != nil {
						t.Fatalf("%s %s n=%d k=%d: %v", strategy, kind, c.n, c.k, err)
					}
					bound, err := DemandBound(demand, c.k, len(s.Stages))
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

// TestBaselinesCoincideWithOnePort: with one port DirectConnect and TopoOpt are a ring
// (section 5.2), on which every chunk has one way.
func TestBaselinesCoincideWithOnePort(t *testing.T) {
	demand := skew(t, "random", 9)
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
	for _, kind := range []string{"random", "zipf", "sparse"} {
		demand := skew(t, kind, 8)
		matrix := make([][]float64, 8)
		for u := range matrix {
			matrix[u] = make([]float64, 8)
			for v := range matrix[u] {
				matrix[u][v] = float64(demand.Count(u, v))
			}
		}
		want, err := flow.SlotBound(matrix)
		if err != nil {
			t.Fatal(err)
		}
		s := solved(t, Problem{Demand: demand, Ports: 1, R: 0, T: 1, Strategy: Birkhoff})
		if float64(s.Slots()) != want {
			t.Errorf("%s: %d slots, want %v", kind, s.Slots(), want)
		}
	}
}

// TestRelabelIsNoWorseAndEnds where no two nodes had better change places.
func TestRelabelIsNoWorseAndEnds(t *testing.T) {
	demand := skew(t, "zipf", 10)
	hops := func(p, q int) int { return (q - p + 10) % 10 }
	total := func(at []int) int {
		sum := 0
		for u := range at {
			for v := range at {
				sum += demand.Count(u, v) * hops(at[u], at[v])
			}
		}
		return sum
	}
	at := relabel(demand, hops)
	start := counts(10)
	for i := range start {
		start[i]--
	}
	if sorted := slices.Sorted(slices.Values(at)); !slices.Equal(sorted, start) {
		t.Fatalf("%v is not a permutation", at)
	}
	least := total(at)
	if least > total(start) {
		t.Errorf("%d hops, %d before", least, total(start))
	}
	for u := range at {
		for v := range u {
			before := total(at)
			gain := exchangeGain(demand, hops, at, u, v)
			at[u], at[v] = at[v], at[u]
			if before-total(at) != gain || gain > 0 {
				t.Errorf("nodes %d and %d: gain %d, said %d", u, v, before-total(at), gain)
			}
			at[u], at[v] = at[v], at[u]
		}
	}
}

// TestGreedyRingHoldsAllNodes and begins with the heaviest pair.
func TestGreedyRingHoldsAllNodes(t *testing.T) {
	for _, kind := range []string{"random", "sparse"} {
		for n := 2; n <= 12; n++ {
			pairs := heaviestFirst(skew(t, kind, max(n, 4)))
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

// TestRouterFindsTheOnlyWays: on single rings loads are those of the only ways there are.
func TestRouterFindsTheOnlyWays(t *testing.T) {
	demand := skew(t, "random", 7)
	r := newRouter([][][]int{rings(7, []int{3})}, demand, true)
	hops, ok := r.leastHops()
	if err := r.solve(context.Background()); !ok || err != nil {
		t.Fatal(ok, err)
	}
	sum, most := 0, 0
	for u := range 7 {
		load := 0
		for s := range 7 {
			for v := range 7 {
				for w := s; w != v; w = (w + 3) % 7 {
					if w == u {
						load += demand.Count(s, v)
					}
				}
			}
		}
		if r.loads[0][u] != load {
			t.Errorf("circuit of %d carries %d, want %d", u, r.loads[0][u], load)
		}
		sum += load
		most = max(most, load)
	}
	if hops != sum || r.slots() != most {
		t.Errorf("%d hops and %d slots, want %d and %d", hops, r.slots(), sum, most)
	}
	apart := newRouter([][][]int{rings(6, []int{2})}, uniformDemand(t, 6, 1), true)
	if _, ok := apart.leastHops(); ok {
		t.Error("nodes that are not connected were reached")
	}
}
