package routing

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/planner/exchange/model"
)

// drawnPlacing returns a demand and the hops of a circulant.
func drawnPlacing(tb testing.TB, n int) (model.Demand, [][]int) {
	random := rand.New(rand.NewPCG(35, uint64(n)))
	counts, hops := make([][]int, n), make([][]int, n)
	for u := range n {
		counts[u], hops[u] = make([]int, n), make([]int, n)
		for v := range n {
			counts[u][v] = random.IntN(1 << 20)
			if u != v {
				hops[u][v] = (v-u+n)%n%16 + (v-u+n)%n/16
			}
		}
	}
	demand, err := model.Amounts(counts)
	if err != nil {
		tb.Fatal(err)
	}
	return demand, hops
}

// relabelBySums is the twin of Relabel: it sums up the gain of every exchange each time.
func relabelBySums(demand model.Demand, hops [][]int, start []int) []int {
	p := newPlacement(demand, hops, start)
	n := p.nodes
	work := 0
	for changed := true; changed && work < relabelWork; work += n * n * n {
		changed = false
		for u := range n {
			for v := u + 1; v < n; v++ {
				if p.gain(u, v) > 0 {
					p.exchange(u, v)
					changed = true
				}
			}
		}
	}
	return p.at
}

// Places are the same whether gains are kept or summed up each time.
func TestPlacesDoNotDependOnHowGainsAreKnown(t *testing.T) {
	for _, n := range []int{2, 3, 10, 37, 64} {
		demand, hops := drawnPlacing(t, n)
		start := rand.New(rand.NewPCG(1, 2)).Perm(n)
		got, err := Relabel(t.Context(), demand, hops, start)
		if want := relabelBySums(demand, hops, start); err != nil || !slices.Equal(got, want) {
			t.Errorf("%d nodes: %v, want %v: %v", n, got, want, err)
		}
	}
}

// BenchmarkRelabel shows what keeping gains saves, compared with the twin that sums them up
// each time.
func BenchmarkRelabel(b *testing.B) {
	const n = 256
	demand, hops := drawnPlacing(b, n)
	start := make([]int, n)
	for u := range start {
		start[u] = u
	}
	b.Run(fmt.Sprintf("kept/n=%d", n), func(b *testing.B) {
		for range b.N {
			if _, err := Relabel(b.Context(), demand, hops, start); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run(fmt.Sprintf("summed/n=%d", n), func(b *testing.B) {
		for range b.N {
			relabelBySums(demand, hops, start)
		}
	})
}
