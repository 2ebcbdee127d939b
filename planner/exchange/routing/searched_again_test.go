package routing

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/planner/exchange/model"
)

// The twin searches afresh every time, with a heap. Prices change a little, or entirely; some are
// so small that they are lost in a sum.
func TestWaysSearchedAgainAreThoseOfASearchAfresh(t *testing.T) {
	random := rand.New(rand.NewPCG(35, 2))
	again := 0
	for range 80 {
		n, ports, stages := 2+random.IntN(30), 1+random.IntN(3), 1+random.IntN(4)
		circuits := drawnStages(random, n, ports, stages)
		r := NewRouter(circuits, ports, amounts(t, random, n), random.IntN(3) > 0)
		r.equalPrices()
		x := newSearches(r)
		kind := random.IntN(4)
		for range 12 {
			for _, prices := range r.prices {
				for c := range prices {
					switch kind {
					case 0:
						prices[c] *= 0.9 + 0.2*random.Float64()
					case 1:
						prices[c] = random.Float64()
					case 2: // many ways cost the same
						prices[c] = float64(1+random.IntN(3)) / 4
					case 3:
						prices[c] = math.Pow(10, -25*random.Float64())
					}
				}
			}
			for u := range n {
				if random.IntN(5) == 0 {
					x.costs(u)
				}
				got := x.from(u)
				costs := append([]float64(nil), r.cost...)
				want := r.cheapestFrom(u)
				for s, c := range r.cost {
					if costs[s] != c || !math.IsInf(c, 1) && (got.before[s] != want.before[s] || got.circuit[s] != want.circuit[s]) {
						t.Fatalf("state %d costs %v from %d by %d, want %v from %d by %d", s, costs[s], got.before[s], got.circuit[s], c, want.before[s], want.circuit[s])
					}
				}
				for v, end := range want.best {
					if got.best[v] != end {
						t.Fatalf("node %d is reached in state %d, want %d", v, got.best[v], end)
					}
				}
				again++
			}
		}
	}
	if again < 1000 {
		t.Errorf("%d searches: too few", again)
	}
}

// BenchmarkWaysSearchedAgain shows what searching in nearly the order of the last search saves,
// compared with the twin with a heap.
func BenchmarkWaysSearchedAgain(b *testing.B) {
	const n, ports, stages = 256, 2, 3
	random := rand.New(rand.NewPCG(35, 3))
	counts := make([][]int, n)
	for u := range counts {
		counts[u] = make([]int, n)
		for v := range counts[u] {
			counts[u][v] = 1 + random.IntN(1000)
		}
	}
	demand, err := model.Amounts(counts)
	if err != nil {
		b.Fatal(err)
	}
	r := NewRouter(drawnStages(random, n, ports, stages), ports, demand, true)
	r.equalPrices()
	for _, prices := range r.prices {
		for c := range prices {
			prices[c] = 0.5 + random.Float64()
		}
	}
	x := newSearches(r)
	for _, search := range []struct {
		name string
		from func(u int) *cheapest
	}{{"again", x.from}, {"afresh", r.cheapestFrom}} {
		b.Run(fmt.Sprintf("%s/n=%d", search.name, n), func(b *testing.B) {
			for i := range b.N {
				for _, prices := range r.prices {
					for range n / 8 {
						prices[random.IntN(len(prices))] *= 0.95 + 0.1*random.Float64()
					}
				}
				search.from(i % n)
			}
		})
	}
}
