package search

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/topology"
)

// tableOfHops is hopLimited as a table: the shortest path of at most h hops to every node, for
// all h, each computed from the previous row.
type tableOfHops struct {
	dist [][]float64
	via  [][]int
}

func newTableOfHops(g *topology.Graph, of []int32, limit, src int, length []float64, perHop float64) tableOfHops {
	n := g.Nodes()
	t := tableOfHops{dist: [][]float64{slices.Repeat([]float64{math.Inf(1)}, n)}, via: [][]int{nil}}
	t.dist[0][src] = 0
	for h := 1; h <= limit; h++ {
		now, via := slices.Clone(t.dist[h-1]), slices.Repeat([]int{-1}, n)
		bundle := 0
		for e := range g.Edges() {
			if d := t.dist[h-1][e.From] + length[of[bundle]] + perHop; d < now[e.To] {
				now[e.To], via[e.To] = d, e.From
			}
			bundle++
		}
		t.dist, t.via = append(t.dist, now), append(t.via, via)
	}
	return t
}

// path leads back from the last round that improved a node.
func (t tableOfHops) path(dst int) []int32 {
	path := []int32{int32(dst)}
	for h := len(t.via) - 1; h > 0; h-- {
		if from := t.via[h][dst]; from >= 0 {
			dst = from
			path = append(path, int32(dst))
		} else if len(path) > 1 {
			return nil // the node before must have improved in the round before
		}
	}
	slices.Reverse(path)
	return path
}

func TestHopLimitedPathsAreThoseOfTheTable(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 11))
	for range 300 {
		n := 5 + rng.IntN(40)
		graphs := []*topology.Graph{
			topology.Circulant(n, 1), topology.DirectedCirculant(n, 1, 1+rng.IntN(n-1)), topology.GenKautz(2+rng.IntN(3), n),
		}
		g := graphs[rng.IntN(len(graphs))]
		of := make([]int32, g.Bundles())
		length := make([]float64, 1+rng.IntN(5))
		for i := range length {
			length[i] = float64(rng.IntN(4)) // with ties
		}
		for b := range of {
			of[b] = int32(rng.IntN(len(length)))
		}
		limit, perHop := 1+rng.IntN(n), float64(rng.IntN(2))
		s := newHopLimited(g, of, limit)
		for range 3 { // what is kept from one search to the next does no harm
			src := rng.IntN(n)
			table := newTableOfHops(g, of, min(limit, n-1), src, length, perHop)
			s.Search(src, nil, length, perHop)
			for v := range n {
				want := table.dist[len(table.dist)-1][v]
				if got := s.Distance(v); got != want {
					t.Fatalf("%s within %d hops: %d -> %d is %v, by the table %v", g.Name(), limit, src, v, got, want)
				}
				if !math.IsInf(want, 1) && !slices.Equal(s.Path(v), table.path(v)) {
					t.Fatalf("%s within %d hops: %d -> %d takes %v, by the table %v", g.Name(), limit, src, v, s.Path(v), table.path(v))
				}
			}
		}
	}
}
