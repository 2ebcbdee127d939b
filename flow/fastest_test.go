package flow_test

import (
	"testing"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/topology"
)

// On a two-way ring of 8, half of what goes three nodes on can go five the other way: worth
// it if hops cost little, and not if they cost much.
func TestFastestTradesHopsAgainstThePeak(t *testing.T) {
	p := flow.Problem{Graph: topology.Circulant(8, 1), Demands: []flow.Demand{{Src: 0, Dst: 3, Amount: 8}}}
	for _, c := range []struct {
		hop  float64
		hops int
		peak float64
	}{{0, 5, 4}, {1, 5, 4}, {10, 3, 8}} {
		time := func(l flow.Load) float64 { return c.hop*float64(l.Hops) + l.Peak }
		r, err := flow.Fastest(t.Context(), p, flow.Optimal, time)
		if err != nil {
			t.Fatal(err)
		}
		if r.Load.Hops != c.hops || r.Load.Peak != c.peak {
			t.Errorf("hop of %v: %d hops, peak %v; want %d and %v", c.hop, r.Load.Hops, r.Load.Peak, c.hops, c.peak)
		}
	}
	r, err := flow.Fastest(t.Context(), p, flow.Shortest, func(l flow.Load) float64 { return l.Peak })
	if err != nil || r.Load.Hops != 3 {
		t.Errorf("a policy is a policy: %+v, %v", r, err)
	}
}
