package routing

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/planner/exchange/model"
)

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
	at := Relabel(demand, hops)
	start := make([]int, 10)
	for i := range start {
		start[i] = i
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

// TestRouterFindsTheOnlyWays: on single rings loads are those of the only ways there are.
func TestRouterFindsTheOnlyWays(t *testing.T) {
	demand := skew(t, "random", 7)
	r := NewRouter([][][]int{Rings(7, []int{3})}, demand, true)
	hops, ok := r.LeastHops()
	if err := r.Solve(context.Background()); !ok || err != nil {
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
	even, err := model.Uniform(6, 1)
	if err != nil {
		t.Fatal(err)
	}
	apart := NewRouter([][][]int{Rings(6, []int{2})}, even, true)
	if _, ok := apart.LeastHops(); ok {
		t.Error("nodes that are not connected were reached")
	}
}

// skew returns a demand of one of the paper's kinds (section 5.1), or one with many pairs
// that have nothing to send.
func skew(t testing.TB, kind string, n int) model.Demand {
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
	d, err := model.Counts(counts)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
