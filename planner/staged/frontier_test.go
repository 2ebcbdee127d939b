package staged

import (
	"fmt"
	"math"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner/staged/stagedtest"
	"github.com/lightpath-net/lightpath/units"
)

// At every delay the frontier gives the plan that planning for that delay gives.
func TestFrontierIsThePlanForEveryDelay(t *testing.T) {
	for _, c := range []struct {
		op        collective.Op
		algorithm string
		change    func(*fabric.Fabric)
	}{
		{collective.AllReduce, "recursive-doubling", func(*fabric.Fabric) {}},
		{collective.AllReduce, "recursive-doubling", func(f *fabric.Fabric) { f.Initial = fabric.InitialDark }},
		{collective.AllReduce, "recursive-doubling", func(f *fabric.Fabric) { f.Initial = fabric.InitialBase }},
		{collective.AllReduce, "recursive-doubling", func(f *fabric.Fabric) { f.Sync = 3_000_000 }},
		{collective.AllReduce, "recursive-doubling", func(f *fabric.Fabric) {
			f.Overlap = fabric.Overlap{Kind: fabric.OverlapCompute, Compute: 7_000_000}
		}},
		{collective.AllReduce, "swing", func(f *fabric.Fabric) { f.Nodes = 16 }},
		{collective.AllReduce, "swing", func(f *fabric.Fabric) { f.Nodes, f.Sync, f.Initial = 16, 3_000_000, fabric.InitialBase }},
		{collective.AllToAll, "shift", func(f *fabric.Fabric) { f.Nodes = 24 }},
		{collective.AllToAll, "retri", func(f *fabric.Fabric) { f.Nodes, f.Ports, f.Duplex = 27, 2, true }},
		{collective.AllToAll, "direct", func(f *fabric.Fabric) { f.Nodes, f.Ports = 12, 2 }},
		{collective.Broadcast, "binomial", func(f *fabric.Fabric) { f.Nodes = 8; f.Reconfig = stagedtest.Reconfig(t, "per-port:1us+100ns") }},
	} {
		f := fabric.Default()
		c.change(&f)
		r := stagedtest.Request(t, f, c.op, c.algorithm, units.MiB)
		name := fmt.Sprintf("%s %s n=%d initial=%s", c.op, c.algorithm, f.Nodes, f.Initial)
		points, err := Frontier(t.Context(), r)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if points[0].From != 0 || !math.IsInf(float64(points[len(points)-1].To), 1) {
			t.Errorf("%s: %v does not cover all delays", name, points)
		}
		for i, p := range points {
			if i > 0 && (p.From != points[i-1].To || p.Reconfigurations >= points[i-1].Reconfigurations || p.Communication <= points[i-1].Communication) {
				t.Errorf("%s: %v does not follow %v", name, p, points[i-1])
			}
			to := min(p.To, 3*p.From+1000)
			for _, delay := range []units.Time{p.From, (p.From + to) / 2, to} {
				r.Fabric.Reconfig.Base = units.Duration(math.Round(float64(delay) * 1000))
				exact := r.Fabric.Reconfig.Base.Time() - r.Fabric.Overlap.Compute.Time()
				want := p.Communication + units.Time(p.Reconfigurations)*max(0, exact)
				got := planWith(t, "harvest", r).Cost.Total()
				// The breakpoint is rounded to a picosecond, for every change of a plan.
				changes := max(len(r.Collective.Steps), points[0].Reconfigurations)
				if math.Abs(float64(got-want)) > 1e-9*float64(want)+0.001*float64(changes) {
					t.Errorf("%s: at %v the frontier says %v, the plan takes %v", name, delay, want, got)
				}
			}
		}
	}
}

func TestFrontierRefusesDelaysThatDoNotAddUp(t *testing.T) {
	f := fabric.Default()
	f.Overlap.Kind = fabric.OverlapPorts
	if points, err := Frontier(t.Context(), stagedtest.Request(t, f, collective.AllReduce, "ring", 1)); err == nil {
		t.Errorf("%v", points)
	}
}
