package topology_test

import (
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/topology"
)

func TestFingerprintsTellGraphsApart(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	seen := map[uint64]*topology.Graph{}
	for range 20_000 {
		n := 2 + rng.IntN(6)
		var edges, turned []topology.Edge
		for range rng.IntN(8) {
			e := topology.Edge{From: rng.IntN(n), To: rng.IntN(n), Count: 1 + rng.IntN(3)}
			edges, turned = append(edges, e), append([]topology.Edge{e}, turned...)
		}
		g, h := topology.New(n, "g", edges), topology.New(n, "h", turned)
		if g.Fingerprint() != h.Fingerprint() {
			t.Fatalf("%v: the order of its circuits counts", edges)
		}
		same := func(a, b *topology.Graph) bool {
			return a.Nodes() == b.Nodes() && a.Equal(b) || topology.New(8, "", list(a)).Equal(topology.New(8, "", list(b)))
		}
		if known := seen[g.Fingerprint()]; known != nil && !same(known, g) {
			t.Fatalf("%v and %v share one", list(known), edges)
		}
		seen[g.Fingerprint()] = g
	}
}

func list(g *topology.Graph) []topology.Edge {
	var edges []topology.Edge
	for e := range g.Edges() {
		edges = append(edges, e)
	}
	return edges
}
