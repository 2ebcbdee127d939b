package staged

import (
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

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

var models = []string{"0ns", "1us", "per-port:300ns+70ns", "per-circuit:200ns+110ns", "per-port:0ns+5ns"}
