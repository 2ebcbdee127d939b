package collective_test

import (
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/topology"
)

// Renumbering nodes by a rotation translates their chunks by it.
func TestRenumberingByARotationTranslates(t *testing.T) {
	const n = 6
	group := topology.Rotations(n, 1)
	for _, kind := range []collective.Kind{collective.Whole, collective.Blocks, collective.Pairs} {
		space := collective.Space{Kind: kind, Nodes: n, Parts: 2}
		for k := range n {
			to := make([]int, n)
			for u := range to {
				to[u] = group.Apply(k, u)
			}
			for c := range space.Chunks() {
				chunks := collective.Single(c)
				if got, want := space.Renumber(to, chunks), space.Translate(group, k, chunks); !slices.Equal(got, want) {
					t.Fatalf("%s, chunk %d, rotation %d: %v, want %v", kind, c, k, got, want)
				}
			}
		}
	}
}
