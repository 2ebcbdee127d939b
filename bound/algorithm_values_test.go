package bound_test

import (
	"math"
	"testing"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// With a delay that forbids every change there is one stage, so the bound of an all-to-all on 8
// nodes follows from the number of nodes at each distance.
func TestScheduleBoundCountsNodesByDistance(t *testing.T) {
	const size = 8000 // a block is 1000 bytes, 10 ns on one circuit at 800Gbps
	for _, c := range []struct {
		algorithm string
		ports     int
		duplex    bool
		want      float64 // ns, with alpha = 500 and delta = 500
	}{
		// One port: the seven others are at distances 1..7, 28 together. Each hop costs a step of 500
		// + 10.
		{"shift", 1, false, 7*500 + 28*(500+10)},
		// Two ports: 2, 4 and 1 nodes at distances 1, 2, 3 make 13; a circuit carries half.
		{"shift", 2, false, 7*500 + 13*(500+5)},
		// Two-way circuits also lead back: 2, 2, 2 and 1 nodes make 16.
		{"shift", 2, true, 7*500 + 16*(500+5)},
		// One bulk step: one start-up, the farthest node 7 hops away.
		{"direct", 1, false, 500 + 7*500 + 28*10},
	} {
		f := fabric.Default()
		f.Nodes, f.Ports, f.Duplex, f.Reconfig.Base = 8, c.ports, c.duplex, 1000*units.Second
		made, err := algorithms.New(collective.AllToAll, c.algorithm, f.Nodes, f.Ports)
		if err != nil {
			t.Fatal(err)
		}
		for initial, extra := range map[string]float64{
			fabric.InitialFree: 0,
			fabric.InitialDark: float64(f.Reconfig.Least()), // nothing is sent before it is paid
		} {
			f.Initial = initial
			got := float64(bound.OfAlgorithm(&f, made, size).Schedule)
			if want := c.want + extra; math.Abs(got-want) > 1e-9*want {
				t.Errorf("%s, %d ports, duplex %v, initially %s: bound %v, want %v", c.algorithm, c.ports, c.duplex, initial, got, want)
			}
		}
	}
}
