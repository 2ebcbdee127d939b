package planning_test

import (
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command/commandtest"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/planner/staged"
	"github.com/lightpath-net/lightpath/units"
)

// Harvest treats steps composed by joint like any others: it searches for circuits of its own,
// keeps joint's circuits if it finds no better ones, and improves some. With this option auto is
// not slower.
func TestHarvestImprovesWhatJointFinds(t *testing.T) {
	t.Parallel()
	better := 0
	type steps struct {
		op       collective.Op
		n, ports int
		size     units.Bytes
	}
	for _, c := range samples.Few(3, []steps{
		{collective.AllReduce, 12, 4, 64 * units.KiB}, {collective.AllReduce, 16, 2, units.MiB},
		{collective.AllReduce, 9, 2, 64 * units.KiB}, {collective.AllReduce, 14, 4, 128 * units.KiB},
		{collective.AllGather, 11, 3, 64 * units.KiB}, {collective.Broadcast, 8, 2, units.MiB},
	}) {
		f := fabric.Default()
		f.Nodes, f.Ports = c.n, c.ports
		r := lightpath.PlanRequest{Fabric: f, Planner: "joint", Operations: []lightpath.Operation{{Op: c.op, Size: c.size}}}
		own, err := lightpath.Plan(t.Context(), r, lightpath.WithoutBaselines())
		if err != nil {
			t.Fatal(err)
		}
		r.Operations[0].Algorithm = "joint"
		r.Planner = "harvest"
		if _, err := lightpath.Plan(t.Context(), r, lightpath.WithoutBaselines()); err == nil {
			t.Error("harvest planned joint's steps, though it is to look for no circuits")
		}
		r.Options = []lightpath.PlannerOptions{&lightpath.HarvestOptions{Synthesis: staged.SynthesisSearch, Budget: 50 * units.Millisecond}}
		p, err := lightpath.Plan(t.Context(), r, lightpath.WithoutBaselines())
		if err != nil {
			t.Fatalf("%s: %v", c.op, err)
		}
		if p.Collective.Algorithm != "joint" || p.Cost.Total() > own.Cost.Total() {
			t.Errorf("%s n=%d ports=%d: harvest takes %v by %s, joint %v", c.op, c.n, c.ports, p.Cost.Total(), p.Collective.Algorithm, own.Cost.Total())
		}
		if p.Cost.Total() < own.Cost.Total()*(1-1e-6) {
			better++
			t.Logf("%s n=%d ports=%d: %v, joint %v", c.op, c.n, c.ports, p.Cost.Total(), own.Cost.Total())
		}
		r.Operations[0].Algorithm, r.Planner = "", lightpath.Auto
		if best, err := lightpath.Plan(t.Context(), r, lightpath.WithoutBaselines()); err != nil || best.Cost.Total() > p.Cost.Total()*commandtest.Rounding {
			t.Errorf("%s n=%d ports=%d: auto is slower than harvest's %v (%v)", c.op, c.n, c.ports, p.Cost.Total(), err)
		}
	}
	if better == 0 {
		t.Error("nothing was improved")
	}
}

// The complete search for circuits also takes joint's steps: it is never slower than joint in a few
// cases, and faster in at least one.
func TestExactImprovesWhatJointFinds(t *testing.T) {
	t.Parallel()
	better := 0
	for _, c := range []struct {
		op   collective.Op
		n    int
		size units.Bytes
	}{{collective.AllGather, 7, 64 * units.KiB}, {collective.AllReduce, 6, 64 * units.KiB}, {collective.Broadcast, 6, units.MiB}} {
		f := fabric.Default()
		f.Nodes, f.Ports = c.n, 2
		r := lightpath.PlanRequest{Fabric: f, Planner: "joint", Operations: []lightpath.Operation{{Op: c.op, Size: c.size}}}
		own, err := lightpath.Plan(t.Context(), r, lightpath.WithoutBaselines())
		if err != nil {
			t.Fatal(err)
		}
		r.Planner, r.Operations[0].Algorithm = "harvest", "joint"
		r.Options = []lightpath.PlannerOptions{&lightpath.HarvestOptions{Synthesis: staged.SynthesisExact, Budget: 300 * units.Millisecond}}
		p, err := lightpath.Plan(t.Context(), r, lightpath.WithoutBaselines())
		if err != nil {
			t.Fatal(err)
		}
		if p.Cost.Total() > own.Cost.Total()*commandtest.Rounding {
			t.Errorf("%s on %d GPUs: %v with the best circuits, %v with joint's", c.op, c.n, p.Cost.Total(), own.Cost.Total())
		}
		if p.Cost.Total() < own.Cost.Total()/commandtest.Rounding {
			better++
		}
	}
	if better == 0 {
		t.Error("nothing was improved")
	}
}
