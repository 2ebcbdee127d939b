package portfolio

import (
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/direct/stored"
	"github.com/lightpath-net/lightpath/units"
)

// drawnSkew returns an all-to-all whose pairs differ.
func drawnSkew(t *testing.T, random *rand.Rand, nodes int) collective.Operation {
	t.Helper()
	spec := []string{"moe:2", "moe:4", "zipf:1", "random"}[random.IntN(4)]
	size := []units.Bytes{16 * units.KiB, 256 * units.KiB, 4 * units.MiB}[random.IntN(3)]
	d, err := collective.GenerateDemand(spec, nodes, size, random.Uint64())
	if err != nil {
		t.Fatal(err)
	}
	return collective.Operation{Demand: d}
}

// If pairs differ, giving circuits known to suit equal pairs as the base yields no faster plan
// than leaving the choice open: neither those that the plan for equal pairs uses nor those stored
// for all pairs.
func TestNoKnownGraphIsABetterBaseOfASkewedAllToAll(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for i := range samples.Draws(8, 60) {
		f := fabric.Default()
		f.Nodes, f.Ports, f.Duplex = 6+random.IntN(11), 2+random.IntN(2), random.IntN(4) == 0
		f.Reconfig.Base = 100 * units.Microsecond
		if i == 0 {
			f.Nodes, f.Ports, f.Duplex = 10, 2, false
		}
		o := drawnSkew(t, random, f.Nodes)
		took := exchanged(t, f, o).Cost.Total()
		var bases []string
		if even := exchanged(t, f, collective.Operation{Size: o.Demand.Size()}); len(even.Stages) == 1 {
			bases = append(bases, even.Stages[0].Topology.Name())
		}
		for _, s := range stored.ForPairs(f.Nodes, f.Ports, f.Duplex) {
			bases = append(bases, s.Expr.String())
		}
		for _, base := range bases {
			based := f
			based.Base = base
			if _, err := based.BaseTopology(); err != nil {
				continue // a name that is not an expression
			}
			if least := exchanged(t, based, o).Cost.Total(); planner.Above(took, least) {
				t.Errorf("%d: %d GPUs, %d ports, two-way %t: %v, with base %s %v", i, f.Nodes, f.Ports, f.Duplex, took, base, least)
			}
		}
	}
}

// A skewed all-to-all takes no longer with one more port, nor if circuits need not be two-way.
// Known graphs of fewer ports, or of two-way circuits, may suit a demand better.
func TestSkewedAllToAllsUseMorePortsAndOneWayCircuits(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for range samples.Draws(3, 30) {
		f := fabric.Default()
		f.Nodes, f.Reconfig.Base = 6+random.IntN(13), 100*units.Microsecond
		o := drawnSkew(t, random, f.Nodes)
		least := map[bool]units.Time{} // with two-way circuits and with any, of the last number of ports
		for ports := 2; ports <= 4; ports++ {
			for _, twoWay := range []bool{true, false} {
				f.Ports, f.Duplex = ports, twoWay
				took := exchanged(t, f, o).Cost.Total()
				for before, known := range least {
					if (before || !twoWay) && planner.Above(took, known) {
						t.Errorf("%d GPUs, %d ports, two-way %t: %v, with less %v", f.Nodes, ports, twoWay, took, known)
					}
				}
				least[twoWay] = took
			}
		}
	}
}
