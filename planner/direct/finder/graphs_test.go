package finder_test

import (
	"context"
	"math/big"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/planner/direct/finder"
	"github.com/lightpath-net/lightpath/topology"
)

func parse(t testing.TB, expr string) *topology.Graph {
	t.Helper()
	g, err := topology.Parse(expr)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func frontier(t testing.TB, f *finder.Finder, n int) []finder.Point {
	t.Helper()
	points, err := f.Frontier(context.Background(), n)
	if err != nil {
		t.Fatal(err)
	}
	return points
}

func covered(points []finder.Point, c finder.Cost) bool {
	return slices.ContainsFunc(points, func(p finder.Point) bool {
		return p.Steps <= c.Steps && p.Bandwidth.Cmp(c.Bandwidth) <= 0
	})
}

func sum(a, b *big.Rat) *big.Rat { return new(big.Rat).Add(a, b) }

func intPower(a, k int) int {
	power := 1
	for range k {
		power *= a
	}
	return power
}

func hasLoops(g *topology.Graph) bool {
	for u := range g.Nodes() {
		if g.Find(u, u) >= 0 {
			return true
		}
	}
	return false
}
