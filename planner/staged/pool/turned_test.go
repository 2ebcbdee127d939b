package pool

import (
	"math"
	"testing"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/topology"
)

// What a search says of a digraph is what the graph has: distances from some nodes are those from
// all, no circuit leads from a node to itself, and rotations leave it as it is.
func TestDigraphsThatRotationsLeaveAsTheyAre(t *testing.T) {
	found := 0
	for _, k := range []turnedKey{{24, 2}, {30, 3}, {48, 5}, {64, 3}, {60, 4}, {96, 6}, {13, 2}} {
		for _, d := range k.turned(t.Context()) {
			found++
			g := topology.Consecutive(k.ports, k.nodes, d.q, 1)
			average, ok := g.AverageDistance()
			mean, _ := average.Float64()
			diameter, _ := g.Diameter()
			if !ok || math.Abs(mean*float64(k.nodes-1)-d.total) > 1e-9*d.total || diameter != d.diameter {
				t.Errorf("%s: distances of %v on average and up to %d, not %v and %d", g.Name(), mean, diameter, d.total, d.diameter)
			}
			if d.turns != arithmetic.GCD(d.q-1, k.nodes) || !topology.Rotations(k.nodes, k.nodes/d.turns).Invariant(g) {
				t.Errorf("%s does not stay as it is under %d rotations", g.Name(), d.turns)
			}
			for u := range k.nodes {
				if g.Count(u, u) > 0 {
					t.Fatalf("%s joins %d to itself", g.Name(), u)
				}
			}
		}
	}
	if found < 20 {
		t.Errorf("found only %d", found)
	}
}
