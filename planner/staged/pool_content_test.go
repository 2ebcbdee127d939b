package staged

import (
	"context"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner/staged/pool"
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
	"github.com/lightpath-net/lightpath/planner/staged/stagedtest"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// HARVEST's pool holds the base with its shifts, the steps' own circuits, the static
// topologies of §6.1 (rings, tori of two and three dimensions, generalised Kautz
// graphs), each once, and nothing that the fabric cannot hold.
func TestHarvestPoolHoldsTheTopologiesOfThePaper(t *testing.T) {
	for _, c := range []struct {
		nodes, ports int
		duplex       bool
		algorithm    string
		want         []*topology.Graph
	}{
		{16, 1, false, "recursive-doubling", []*topology.Graph{
			topology.DirectedCirculant(16, 1), topology.DirectedCirculant(16, 8), topology.DirectedCirculant(16, 15),
		}},
		{16, 2, false, "recursive-doubling", []*topology.Graph{
			topology.Circulant(16, 1), topology.Circulant(16, 7), topology.DirectedCirculant(16, 2, 2),
			topology.DirectedCirculant(16, 6, 8), topology.GenKautz(2, 16), // jumps 15 and 1, shifted by 7
		}},
		{16, 2, false, "halving-doubling", []*topology.Graph{ // no rotations: powers of two only
			topology.Circulant(16, 1), topology.Circulant(16, 4), topology.DirectedCirculant(16, 2, 2), topology.GenKautz(2, 16),
		}},
		{16, 4, false, "swing", []*topology.Graph{
			topology.Torus(4, 4), topology.Torus(2, 8), topology.Torus(2, 2, 4),
			topology.GenKautz(4, 16),
		}},
		{64, 6, false, "recursive-doubling", []*topology.Graph{
			topology.Torus(4, 4, 4), topology.Torus(8, 8), topology.DirectedCirculant(64, 4, 4, 4, 4, 4, 4),
		}},
		{16, 2, true, "recursive-doubling", []*topology.Graph{topology.Circulant(16, 1), topology.Circulant(16, 3), topology.Circulant(16, 4)}},
		{16, 4, true, "halving-doubling", []*topology.Graph{topology.Torus(4, 4), topology.Torus(2, 8)}},
	} {
		f := fabric.Default()
		f.Nodes, f.Ports, f.Duplex = c.nodes, c.ports, c.duplex
		r := stagedtest.Request(t, f, collective.AllReduce, c.algorithm, units.MiB)
		w := pricing.NewWorkload(&r, r.Collective.Steps)
		p, err := pool.Harvest(context.Background(), &r, w)
		if err != nil {
			t.Fatal(err)
		}
		want := c.want
		for _, step := range r.Collective.Steps {
			own, err := topology.Matched(c.nodes, c.ports, c.duplex, step.Pairs(), "own")
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, own)
		}
		for _, g := range want {
			if held(p, g) != 1 {
				t.Errorf("n=%d, %d ports, duplex %v: %s is there %d times", c.nodes, c.ports, c.duplex, g.Name(), held(p, g))
			}
		}
		for _, candidate := range p.Candidates {
			g := candidate.Topology()
			if err := f.Fits(g); err != nil {
				t.Errorf("n=%d, %d ports: %s %v", c.nodes, c.ports, g.Name(), err)
			}
			if held(p, g) != 1 {
				t.Errorf("n=%d, %d ports: %s is there %d times", c.nodes, c.ports, g.Name(), held(p, g))
			}
		}
	}
}

// held counts the candidates with the circuits of g.
func held(p *pool.Pool, g *topology.Graph) int {
	count := 0
	for _, c := range p.Candidates {
		if c.Topology().Equal(g) {
			count++
		}
	}
	return count
}

// The initial topology is a candidate: keeping it costs nothing.
func TestInitialTopologyIsInThePool(t *testing.T) {
	f := fabric.Default()
	f.Nodes, f.Ports, f.Initial, f.Reconfig.Base = 16, 2, "DC(16;1,4)", units.Second
	p := planWith(t, "harvest", stagedtest.Request(t, f, collective.AllReduce, "recursive-doubling", units.MiB))
	if p.Reconfigurations != 0 {
		t.Errorf("%d reconfigurations of a second each, though DC(16;1,4) connects everybody", p.Reconfigurations)
	}
}
