package planning_test

import (
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/command/planning"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// A plan whose packets are later than the model by a hundredth or more says why, and only such a
// plan does.
func TestLatePacketsAreExplained(t *testing.T) {
	late := 0
	for _, c := range []struct {
		op    collective.Op
		nodes int
		ports int
		size  units.Bytes
		hops  fabric.Forwarding
	}{
		{collective.Gather, 7, 3, 43_000, fabric.StoreAndForward},
		{collective.AllToAll, 15, 4, 64 * units.KiB, fabric.CutThrough},
		{collective.AllToAll, 11, 3, units.MiB, fabric.StoreAndForward},
		{collective.AllReduce, 8, 2, units.MiB, fabric.CutThrough},
	} {
		f := fabric.Default()
		f.Nodes, f.Ports, f.Forwarding, f.Bandwidth = c.nodes, c.ports, c.hops, 100*units.Gbps
		p, err := planning.Plan(t.Context(), planning.PlanRequest{
			Fabric: f, Operations: []collective.Operation{{Op: c.op, Size: c.size}}, PacketOptions: planning.PacketOptions{Simulate: true},
		}, command.WithoutBaselines())
		if err != nil {
			t.Fatal(err)
		}
		by := float64(p.Simulated/p.Cost.Total()) - 1
		if (by >= 0.01) != (p.Late != "") {
			t.Errorf("%+v: packets are later by %.4f, and that is explained by %q", c, by, p.Late)
		}
		if p.Late != "" {
			if late++; !strings.Contains(p.Late, " because ") {
				t.Errorf("%+v: %q", c, p.Late)
			}
		}
	}
	if late == 0 {
		t.Error("no packets are late, so nothing was looked at")
	}
}
