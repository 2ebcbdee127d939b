package planning_test

import (
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/units"
)

// Above 4096 GPUs a plan names the candidates that it was chosen from, except for a named
// algorithm; up to 4096 GPUs no candidate is left out. All-to-alls with several ports do so
// above 2048 GPUs.
func TestVeryManyGPUsArePlannedBySymmetryAndThePlanSaysSo(t *testing.T) {
	t.Parallel()
	type large struct {
		op           collective.Op
		nodes, ports int
		algorithm    string
		fewer        bool
	}
	cases := []large{
		{collective.AllGather, 64, 1, "", false}, {collective.AllGather, 4097, 1, "", true},
		{collective.AllGather, 4097, 1, "recursive-doubling", false},
		// These never look the same from every GPU.
		{collective.Scatter, 4097, 2, "", false}, {collective.Gather, 4097, 2, "", false},
		{collective.AllReduce, 5000, 1, "", true},
		{collective.AllToAll, 2048, 2, "", false}, {collective.AllToAll, 2049, 2, "", true},
	}
	if samples.Every() { // it takes seconds
		cases = append(cases, large{collective.ReduceScatter, 4104, 3, "", true})
	}
	for _, c := range cases {
		f := fabric.Default()
		f.Nodes, f.Ports = c.nodes, c.ports
		p, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{
			Fabric: f, Operations: []lightpath.Operation{{Op: c.op, Algorithm: c.algorithm}},
		}, lightpath.WithoutBaselines())
		if err != nil {
			t.Fatal(err)
		}
		if (p.Among != "") != c.fewer {
			t.Errorf("%s on %d GPUs, algorithm %q: chosen from %q", c.op, c.nodes, c.algorithm, p.Among)
		}
	}
}

// If the base does not connect all GPUs, plans leave it at once. A plan that stays on such a
// base is not a baseline, and its absence is no reason to refuse the plan.
func TestAllToAllsLeaveABaseThatIsNotConnected(t *testing.T) {
	f := fabric.Default()
	f.Nodes, f.Ports, f.Duplex, f.Base = 16, 2, true, "C(16;6)"
	p, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{Fabric: f, Operations: []lightpath.Operation{{Op: collective.AllToAll, Size: units.MiB}}})
	if err != nil {
		t.Fatal(err)
	}
	if p.Baselines.Direct != 0 {
		t.Errorf("%v on circuits that do not connect all", p.Baselines.Direct)
	}
}
