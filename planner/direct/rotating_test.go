package direct

import (
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/units"
)

// TestPlansOnRotatedGraphsAreCorrect: plans on graphs that a rotation maps onto themselves pass the
// verifier, and take the time of their schedules. Nothing in them depends on the number of GPUs,
// so the test uses few.
func TestPlansOnRotatedGraphsAreCorrect(t *testing.T) {
	for i, c := range []struct {
		nodes, ports int
		twoWay       bool
		forwarding   fabric.Forwarding
	}{
		{256, 4, true, fabric.CutThrough}, {250, 4, false, fabric.CutThrough}, {192, 3, true, fabric.CutThrough},
		{128, 2, false, fabric.CutThrough}, {256, 4, true, fabric.StoreAndForward},
	} {
		for j, op := range []collective.Op{collective.AllReduce, collective.AllGather, collective.ReduceScatter} {
			for k, size := range []int64{1 << 14, 1 << 24} {
				if (i+j+k)%2 > 0 && !samples.Every() {
					continue // in turn
				}
				r := requestFor(op, c.nodes, c.ports)
				r.Fabric.Duplex, r.Fabric.Forwarding, r.Size = c.twoWay, c.forwarding, units.Bytes(size)
				h, err := rotating(t.Context(), &r)
				if err != nil {
					t.Fatal(err)
				}
				p, err := h.plan(t.Context(), &r)
				if err != nil {
					t.Fatal(err)
				}
				report, err := verify.Plan(t.Context(), p)
				if err != nil {
					t.Fatal(err)
				}
				if wrong := report.First(); wrong != nil {
					t.Errorf("%v, %s of %d: %s: %s", c, op, size, wrong.Name, wrong.Detail)
				}
				if !plan.Near(p.Cost.Total(), h.least(&r)) {
					t.Errorf("%v, %s of %d: the plan takes %v, its schedule %v", c, op, size, p.Cost.Total(), h.least(&r))
				}
			}
		}
	}
}
