package search

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/topology"
)

// Searches from both ends find paths as short as searches from one end. The paths lead from the
// source to the target and visit no node twice, for any lengths, including zero and very
// different lengths.
func TestTwoEndedSearchFindsShortestPaths(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for range 200 {
		n := 5 + rng.IntN(40)
		g := drawn(rng, n, 2+rng.IntN(3))
		of := make([]int32, g.Bundles())
		length := make([]float64, g.Bundles())
		for b := range of {
			of[b] = int32(b)
			length[b] = []float64{0, rng.Float64(), math.Exp(-200 * rng.Float64()), 1}[rng.IntN(4)]
		}
		perHop := []float64{0, 0.1}[rng.IntN(2)]
		both, one := newTwoEnded(g, of), NewDijkstra(g, of)
		for range 10 {
			src := rng.IntN(n)
			var targets []int32
			for range 1 + rng.IntN(5) {
				if v := rng.IntN(n); v != src {
					targets = append(targets, int32(v))
				}
			}
			if len(targets) == 0 {
				continue
			}
			both.Search(src, targets, length, perHop)
			one.Search(src, nil, length, perHop)
			for _, v := range targets {
				if one.via[v] < 0 {
					if d := both.Distance(int(v)); len(targets) <= fewTargets && !math.IsInf(d, 1) {
						t.Fatalf("no path leads from %d to %d, but one of %v", src, v, d)
					}
					continue
				}
				want, got := one.Distance(int(v)), both.Distance(int(v))
				if math.Abs(got-want) > 1e-12*max(1e-100, want) {
					t.Fatalf("%d -> %d: %v, want %v", src, v, got, want)
				}
				path := both.Path(int(v))
				seen := map[int32]bool{}
				sum := 0.0
				for h, u := range path {
					if seen[u] {
						t.Fatalf("%v passes %d twice", path, u)
					}
					seen[u] = true
					if h > 0 {
						b := g.Find(int(path[h-1]), int(u))
						if b < 0 {
							t.Fatalf("%v: no circuit", path)
						}
						sum += length[b] + perHop
					}
				}
				if path[0] != int32(src) || path[len(path)-1] != v || math.Abs(sum-want) > 1e-12*max(1e-100, want) {
					t.Fatalf("%v takes %v, want %v", path, sum, want)
				}
			}
		}
	}
}

// drawn returns a graph with a given number of circuits from each node to random others.
func drawn(rng *rand.Rand, n, degree int) *topology.Graph {
	var edges []topology.Edge
	for u := range n {
		for range degree {
			if v := rng.IntN(n); v != u {
				edges = append(edges, topology.Edge{From: u, To: v, Count: 1})
			}
		}
	}
	return topology.New(n, "drawn", edges)
}
