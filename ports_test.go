package lightpath_test

import (
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// TestAnotherPortIsNeverWorseWhereCircuitsCost: with a delay that grows with the circuits
// that are set, fewer can be better; a port that is there can stay unused.
func TestAnotherPortIsNeverWorseWhereCircuitsCost(t *testing.T) {
	for _, c := range []struct {
		op       collective.Op
		nodes    int
		size     units.Bytes
		reconfig string
		overlap  string
	}{
		{collective.AllGather, 8, units.MiB, "per-circuit:100ns+2us", "none"},
		{collective.ReduceScatter, 16, units.KiB, "per-circuit:100ns+2us", "none"},
		{collective.AllToAll, 6, units.KiB, "per-circuit:1us+200ns", "none"},
		{collective.AllReduce, 7, 64 * units.KiB, "per-port:1us+1us", "ports"},
		{collective.Broadcast, 9, units.MiB, "per-switch:1us+5us", "none"},
	} {
		last := units.Time(0)
		for ports := 1; ports <= 3; ports++ {
			f := fabric.Default()
			for setting, value := range map[string]string{"reconfig": c.reconfig, "overlap": c.overlap, "initial": "dark", "sync": "1us"} {
				for _, s := range fabric.Settings() {
					if s.Name == setting {
						if err := s.Set(&f, value); err != nil {
							t.Fatal(err)
						}
					}
				}
			}
			f.Nodes, f.Ports = c.nodes, ports
			p, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{
				Fabric: f, Operations: []lightpath.Operation{{Op: c.op, Size: c.size}},
			}, lightpath.WithoutBaselines())
			if err != nil {
				t.Fatal(err)
			}
			total := p.Cost.Total()
			if ports > 1 && total > last*(1+1e-9) {
				t.Errorf("%s on %d GPUs, %s: %v with %d ports, %v with one fewer", c.op, c.nodes, c.reconfig, total, ports, last)
			}
			last = total
		}
	}
}
