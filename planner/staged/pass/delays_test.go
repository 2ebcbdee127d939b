package pass

import (
	"context"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner/staged/pool"
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
	"github.com/lightpath-net/lightpath/planner/staged/stagedtest"
	"github.com/lightpath-net/lightpath/units"
)

// Rings of one port have no circuit in common. So every change has the same delay under every
// model, and the search need not look at pairs of topologies.
func TestDelaysOfRingsAreUniform(t *testing.T) {
	for _, ports := range []int{1, 2} {
		for _, model := range models {
			f := fabric.Default()
			f.Nodes, f.Ports, f.Reconfig = 7, ports, stagedtest.Reconfig(t, model)
			r := stagedtest.Request(t, f, collective.AllToAll, "shift", units.MiB)
			w := pricing.NewWorkload(&r, r.Collective.Steps)
			p, err := pool.Harvest(context.Background(), &r, w)
			if err != nil {
				t.Fatal(err)
			}
			d, err := newDelays(t.Context(), w, p.Candidates)
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

// Whether two candidates can be up at once, or circuits stay up from one to the other, agrees
// with the fabric's answer for their circuits, even if one node stands for all.
func TestWhatCandidatesHaveToDoWithEachOther(t *testing.T) {
	for _, model := range append(models[:len(models):len(models)], "per-switch:1us+1us", "per-switch/1:1us+1us") {
		for _, c := range []struct {
			op        collective.Op
			algorithm string
		}{{collective.AllReduce, "recursive-doubling"}, {collective.Broadcast, "binomial"}} {
			f := fabric.Default()
			f.Nodes, f.Ports, f.Reconfig, f.Overlap.Kind = 8, 2, stagedtest.Reconfig(t, model), fabric.OverlapPorts
			r := stagedtest.Request(t, f, c.op, c.algorithm, units.MiB)
			w := pricing.NewWorkload(&r, r.Collective.Steps)
			p, err := pool.Harvest(context.Background(), &r, w)
			if err != nil {
				t.Fatal(err)
			}
			d, err := newDelays(t.Context(), w, p.Candidates)
			if err != nil {
				t.Fatal(err)
			}
			for i, a := range p.Candidates {
				for j, b := range p.Candidates {
					if i == j {
						continue
					}
					if got, want := d.spare(i, j), f.Spare(a.Topology(), b.Topology()); got != want {
						t.Errorf("%s: %s beside %s: %v", model, b.Topology().Name(), a.Topology().Name(), got)
					}
					stay, want := f.Reconfig.Stay(a.Topology(), b.Topology()), false
					for e := range b.Topology().Edges() {
						want = want || stay(e.From, e.To)
					}
					if got := d.shares(i, j); got != want {
						t.Errorf("%s: circuits carry on from %s to %s: %v", model, a.Topology().Name(), b.Topology().Name(), got)
					}
				}
			}
		}
	}
}

// The delay between two candidates is the fabric's delay between their circuits, even if the pool
// remembers it for rings.
func TestDelaysBetweenCandidates(t *testing.T) {
	for _, model := range models {
		for _, ports := range []int{1, 2} {
			f := fabric.Default()
			f.Nodes, f.Ports, f.Reconfig = 6, ports, stagedtest.Reconfig(t, model)
			r := stagedtest.Request(t, f, collective.AllToAll, "shift", units.MiB)
			w := pricing.NewWorkload(&r, r.Collective.Steps)
			p, err := pool.Harvest(context.Background(), &r, w)
			if err != nil {
				t.Fatal(err)
			}
			d, err := newDelays(t.Context(), w, p.Candidates)
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range p.Candidates {
				for _, b := range p.Candidates {
					want := float64(f.Reconfig.Delay(a.Topology(), b.Topology()))
					if got := d.wait(a, b); got != want {
						t.Errorf("%s: %s to %s: %v, want %v", model, a.Topology().Name(), b.Topology().Name(), got, want)
					}
				}
			}
		}
	}
}

var models = []string{"0ns", "1us", "per-port:300ns+70ns", "per-circuit:200ns+110ns", "per-port:0ns+5ns"}
