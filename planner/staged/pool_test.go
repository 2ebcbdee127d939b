package staged

import (
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
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
		r := request(t, f, collective.AllReduce, c.algorithm, units.MiB)
		w := newWorkload(&r, r.Collective.Steps)
		p, err := harvestPool(&r, w)
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
		for _, candidate := range p.candidates {
			g := candidate.topology()
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
func held(p *pool, g *topology.Graph) int {
	count := 0
	for _, c := range p.candidates {
		if c.topology().Equal(g) {
			count++
		}
	}
	return count
}

// A ring answers in constant time what a walk along it finds.
func TestRingHopsEqualAWalk(t *testing.T) {
	for n := 2; n <= 40; n++ {
		for jump := 1; jump < n; jump++ {
			ring := newJumper(n, jump, 1)
			for offset := 1; offset < n; offset++ {
				want, at := 0, 0
				for range n {
					at = (at + jump) % n
					want++
					if at == offset {
						break
					}
				}
				if at != offset {
					want = 0
				}
				if got := ring.hops(offset); got != want {
					t.Fatalf("n=%d, jump %d, offset %d: %d hops, want %d", n, jump, offset, got, want)
				}
			}
		}
	}
}

// Rings of one port have no circuit in common, so that every change has the same
// delay whatever the model, and the search need not look at pairs of topologies.
func TestDelaysOfRingsAreUniform(t *testing.T) {
	for _, ports := range []int{1, 2} {
		for _, model := range models {
			f := fabric.Default()
			f.Nodes, f.Ports, f.Reconfig = 7, ports, reconfig(t, model)
			r := request(t, f, collective.AllToAll, "shift", units.MiB)
			w := newWorkload(&r, r.Collective.Steps)
			p, err := harvestPool(&r, w)
			if err != nil {
				t.Fatal(err)
			}
			d, err := newDelays(t.Context(), w, p.candidates)
			if err != nil {
				t.Fatal(err)
			}
			// With two ports, two-way rings and rings of double circuits share some.
			if uniform := ports == 1 || f.Reconfig.Each == 0; (d.pair == nil) != uniform {
				t.Errorf("%d ports, %s: uniform %v", ports, model, d.pair == nil)
			}
		}
	}
}

// Whether two candidates can be up at once, or circuits carry on from one to the other, is
// what the fabric says of their circuits, also where one node speaks for all.
func TestWhatCandidatesHaveToDoWithEachOther(t *testing.T) {
	for _, model := range append(models[:len(models):len(models)], "per-switch:1us+1us", "per-switch/1:1us+1us") {
		for _, c := range []struct {
			op        collective.Op
			algorithm string
		}{{collective.AllReduce, "recursive-doubling"}, {collective.Broadcast, "binomial"}} {
			f := fabric.Default()
			f.Nodes, f.Ports, f.Reconfig, f.Overlap.Kind = 8, 2, reconfig(t, model), fabric.OverlapPorts
			r := request(t, f, c.op, c.algorithm, units.MiB)
			w := newWorkload(&r, r.Collective.Steps)
			p, err := harvestPool(&r, w)
			if err != nil {
				t.Fatal(err)
			}
			d, err := newDelays(t.Context(), w, p.candidates)
			if err != nil {
				t.Fatal(err)
			}
			for i, a := range p.candidates {
				for j, b := range p.candidates {
					if i == j {
						continue
					}
					if got, want := d.spare(i, j), f.Spare(a.topology(), b.topology()); got != want {
						t.Errorf("%s: %s beside %s: %v", model, b.topology().Name(), a.topology().Name(), got)
					}
					stay, want := f.Reconfig.Stay(a.topology(), b.topology()), false
					for e := range b.topology().Edges() {
						want = want || stay(e.From, e.To)
					}
					if got := d.shares(i, j); got != want {
						t.Errorf("%s: circuits carry on from %s to %s: %v", model, a.topology().Name(), b.topology().Name(), got)
					}
				}
			}
		}
	}
}

// The delay between two candidates is the fabric's between their circuits, also where
// the pool remembers it for rings.
func TestDelaysBetweenCandidates(t *testing.T) {
	for _, model := range models {
		for _, ports := range []int{1, 2} {
			f := fabric.Default()
			f.Nodes, f.Ports, f.Reconfig = 6, ports, reconfig(t, model)
			r := request(t, f, collective.AllToAll, "shift", units.MiB)
			w := newWorkload(&r, r.Collective.Steps)
			p, err := harvestPool(&r, w)
			if err != nil {
				t.Fatal(err)
			}
			d, err := newDelays(t.Context(), w, p.candidates)
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range p.candidates {
				for _, b := range p.candidates {
					want := float64(f.Reconfig.Delay(a.topology(), b.topology()))
					if got := d.wait(a, b); got != want {
						t.Errorf("%s: %s to %s: %v, want %v", model, a.topology().Name(), b.topology().Name(), got, want)
					}
				}
			}
		}
	}
}

// What is up at the start is a candidate: keeping it costs nothing.
func TestInitialTopologyIsInThePool(t *testing.T) {
	f := fabric.Default()
	f.Nodes, f.Ports, f.Initial, f.Reconfig.Base = 16, 2, "DC(16;1,4)", units.Second
	p := planWith(t, "harvest", request(t, f, collective.AllReduce, "recursive-doubling", units.MiB))
	if p.Reconfigurations != 0 {
		t.Errorf("%d reconfigurations of a second each, though DC(16;1,4) connects everybody", p.Reconfigurations)
	}
}
