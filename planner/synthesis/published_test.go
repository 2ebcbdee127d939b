package synthesis

import (
	"testing"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Steps 2 and 3 of Swing with 8 GPUs and one port: the optimum takes half as long as the best of
// HARVEST's shifted rings (appendix A), so the pool misses it.
func TestSwingBeatsEveryShiftedRing(t *testing.T) {
	p := swing(8, 1, 2, 3)
	if r := exactly(t, p); !near(r.Cost, 0.75*message) {
		t.Errorf("the optimum is %v, want 0.75 beta*m", r.Cost)
	}
	best := units.Time(inf)
	for jump := 1; jump < 8; jump++ {
		if r, err := Evaluate(t.Context(), p, topology.DirectedCirculant(8, jump)); err == nil {
			best = min(best, r.Cost)
		}
	}
	if !near(best, 1.5*message) {
		t.Errorf("the best ring takes %v, want 1.5 beta*m", best)
	}
}

// Observation 4 of HARVEST does not hold with two ports. With theta capped at 1, as in appendix
// A, all three steps of 8 GPUs have full throughput on one topology, which takes 7/8 beta*m,
// while using both ports for the circuits of step 1 takes 1 beta*m.
func TestObservation4FailsWithTwoPortsAndThetaCapped(t *testing.T) {
	p := recursiveDoubling(8, 2, 1, 3)
	p.CapTheta = true
	r := exactly(t, p)
	if !near(r.Cost, 0.875*message) {
		t.Errorf("the optimum is %v, want 0.875 beta*m", r.Cost)
	}
	for i, s := range r.Steps {
		if s.Congestion > 1+1e-8 {
			t.Errorf("step %d has theta %v", i+1, 1/s.Congestion)
		}
	}
	ring, err := Evaluate(t.Context(), p, topology.DirectedCirculant(8, 1, 1))
	if err != nil || !near(ring.Cost, message) {
		t.Errorf("the doubled ring takes %v (%v), want 1 beta*m", ring, err)
	}
}

// Nor does it hold with theta uncapped, limited only by the number of ports: neither with 5 GPUs
// nor with 32.
func TestObservation4FailsWithTwoPorts(t *testing.T) {
	if r := exactly(t, recursiveDoubling(5, 2, 1, 3)); !near(r.Cost, message*17/24) { // the ring: 3/4
		t.Errorf("5 GPUs: %v, want 17/24 beta*m", r.Cost)
	}
	p := recursiveDoubling(32, 2, 1, 5)
	ring, err := Evaluate(t.Context(), p, topology.DirectedCirculant(32, 1, 1))
	if err != nil {
		t.Fatal(err)
	}
	other, err := Evaluate(t.Context(), p, topology.DirectedCirculant(32, 1, 2))
	if err != nil {
		t.Fatal(err)
	}
	if !near(ring.Cost, 1.25*message) || !near(other.Cost, message*7/6) {
		t.Errorf("32 GPUs: the ring takes %v, DC(32;1,2) %v; want 5/4 and 7/6 beta*m", ring.Cost, other.Cost)
	}
}

// With one port it holds for every interval and every mix of propagation and transmission.
// Counting round trips proves the ring of the first step optimal without a search, even for
// systems that are far too large to search.
func TestObservation4HoldsWithOnePort(t *testing.T) {
	for _, n := range []int{2, 4, 8, 32, 256} {
		for from := 1; 1<<(from-1) < n; from++ {
			for to := from; 1<<(to-1) < n; to++ {
				for _, delta := range []units.Duration{0, 7 * units.Nanosecond, units.Microsecond} {
					p := recursiveDoubling(n, 1, from, to)
					p.Delta = delta
					ring, err := Evaluate(t.Context(), p, topology.DirectedCirculant(n, 1<<(from-1)))
					if err != nil {
						t.Fatal(err)
					}
					if !ring.Proven {
						t.Fatalf("n=%d, steps %d..%d, delta %v: the ring takes %v, the bound is %v",
							n, from, to, delta, ring.Cost, ring.Bound)
					}
				}
			}
		}
	}
}

// Swing's steps are optimal with one port on cycles through the GPUs that they connect.
func TestSwingOnOnePortIsProvenByRoundTrips(t *testing.T) {
	for n := 8; n <= 32; n *= 2 {
		p := swing(n, 1, 2, 3)
		r, err := Search(t.Context(), p, nil, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !r.Proven || !near(r.Cost, units.Time(0.75*message*float64(n)/8)) {
			t.Errorf("n=%d: %v, the bound is %v", n, r.Cost, r.Bound)
		}
	}
}

// A single step gets its own circuits, as many as there are ports.
func TestOneStepGetsItsOwnCircuits(t *testing.T) {
	for _, c := range []struct {
		n, ports, offset int
		duplex           bool
		want             units.Time
	}{
		{6, 1, 2, false, message / 2},
		{6, 3, 5, false, message / 6},
		{6, 2, 3, true, message / 4},      // both ports to the opposite node
		{6, 2, 1, true, message * 5 / 12}, // one to each side; a sixth goes the long way round
		{2, 4, 1, true, message / 8},
	} {
		p := Problem{Nodes: c.n, Ports: c.ports, Duplex: c.duplex, Bandwidth: byteRate, Steps: []Step{{
			Demands: []flow.Demand{{Src: 0, Dst: c.offset, Amount: message / 2}}, Group: topology.Rotations(c.n, 1),
		}}}
		if r := exactly(t, p); !near(r.Cost, c.want) {
			t.Errorf("%d nodes, %d ports, offset %d, duplex %v: %v, want %v", c.n, c.ports, c.offset, c.duplex, r.Cost, c.want)
		}
	}
}
