package fabric

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/topology"
)

// The difference of two sets of circuits equals a count over every pair of nodes.
func TestDifferencesAreThoseOfEveryPair(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 2))
	for range 200 {
		n := 1 + rng.IntN(7)
		draw := func() *topology.Graph {
			var edges []topology.Edge
			for range rng.IntN(3 * n) {
				edges = append(edges, topology.Edge{From: rng.IntN(n), To: rng.IntN(n), Count: 1 + rng.IntN(2)})
			}
			return topology.New(n, "drawn", edges)
		}
		from, to := draw(), draw()
		var got, want [][3]int
		differences(from, to, func(u, v, gained int) { got = append(got, [3]int{u, v, gained}) })
		for u := range n {
			for v := range n {
				if gained := to.Count(u, v) - from.Count(u, v); gained != 0 {
					want = append(want, [3]int{u, v, gained})
				}
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%v to %v: %v, want %v", slices.Collect(from.Edges()), slices.Collect(to.Edges()), got, want)
		}
	}
}
