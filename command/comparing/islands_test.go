package comparing_test

import (
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command/commandtest"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// Plans for parts of islands are plans for the islands, even if their symmetry differs from that
// of the islands: compare once failed on them, and plan left them out. No row is faster than the
// plan.
func TestPartsOfIslandsAreCompared(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		op            collective.Op
		nodes, island int
		bandwidth     units.Bandwidth
	}{
		{collective.AllReduce, 16, 4, units.Tbps}, {collective.AllGather, 12, 6, 1600 * units.Gbps},
		{collective.Broadcast, 8, 4, units.Tbps}, {collective.AllToAll, 8, 4, 1600 * units.Gbps},
	} {
		f := fabric.Default()
		f.Nodes, f.Ports, f.Island = c.nodes, 2, fabric.Island{Size: c.island, Bandwidth: c.bandwidth}
		o := lightpath.Operation{Op: c.op, Size: 4 * units.MiB}
		rows, err := lightpath.Compare(t.Context(), lightpath.CompareRequest{Fabric: f, Operation: o}, lightpath.WithoutBaselines())
		if err != nil {
			t.Errorf("%+v: %v", c, err)
			continue
		}
		p, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{Fabric: f, Operations: []lightpath.Operation{o}}, lightpath.WithoutBaselines())
		if err != nil {
			t.Errorf("%+v: %v", c, err)
			continue
		}
		if least := rows.Rows[0].TotalNs; p.Cost.Total() > least*commandtest.Rounding {
			t.Errorf("%+v: the plan takes %v, %s with %s %v", c, p.Cost.Total(), rows.Rows[0].Algorithm, rows.Rows[0].Planner, least)
		}
	}
}

// Planning finds the best plan of compare: it lifts the core's plans of every planner, however
// long their sketches are.
func TestPlansOnIslandsAreNotSlowerThanTheBestCompared(t *testing.T) {
	f := fabric.Default()
	f.Nodes, f.Island, f.Reconfig.Base = 25, fabric.Island{Size: 5, Bandwidth: 1600 * units.Gbps}, 274*units.Nanosecond
	o := collective.Operation{Op: collective.RootReduce, Size: 56236992}
	p, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{Fabric: f, Operations: []lightpath.Operation{o}}, lightpath.WithoutBaselines())
	if err != nil {
		t.Fatal(err)
	}
	all, err := lightpath.Compare(t.Context(), lightpath.CompareRequest{Fabric: f, Operation: o}, lightpath.WithoutBaselines())
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range all.Rows {
		if float64(row.TotalNs) < float64(p.Cost.Total())*(1-1e-9) {
			t.Errorf("%s with %s takes %v, the plan %v", row.Algorithm, row.Planner, row.TotalNs, p.Cost.Total())
		}
	}
}
