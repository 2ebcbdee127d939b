package pool

import (
	"math"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
	"github.com/lightpath-net/lightpath/planner/staged/stagedtest"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
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

// A digraph that rotations leave as it is takes the expander's place if its distances are about as
// short; not if the expander has as many rotations, or fewer hops and there is little to send.
func TestDigraphsTakeTheExpandersPlace(t *testing.T) {
	for _, c := range []struct {
		nodes, ports int
		size         units.Bytes
		want         string
	}{
		{1024, 6, 64 * units.MiB, "Consecutive(6,1024,57,1)"}, {1024, 6, 64 * units.KiB, ""}, {1024, 7, 64 * units.MiB, ""},
		{512, 6, 64 * units.MiB, ""}, {521, 6, 64 * units.MiB, ""},
	} {
		f := fabric.Default()
		f.Nodes, f.Ports = c.nodes, c.ports
		r := stagedtest.Request(t, f, collective.AllToAll, "direct", c.size)
		got := ""
		if g := New(&r.Fabric).turnedExpander(t.Context(), pricing.NewWorkload(&r, r.Collective.Steps)); g != nil {
			got = g.Name()
		}
		if got != c.want {
			t.Errorf("%d nodes, %d ports, %v: %q, want %q", c.nodes, c.ports, c.size, got, c.want)
		}
	}
}
