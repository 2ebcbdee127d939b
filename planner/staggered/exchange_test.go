package staggered_test

import (
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// TestExchangesLeaveLittleToStagger: what a plan of planner exchange could gain at most if its
// planes were rewired by themselves. Planes that are dark one after another are dark as long
// in sum as all together, so the only gain is from circuits that are idle in a stage: with the
// bytes of each stage spread evenly over all circuits, and as many changes, it takes no less
// than the start-ups, the mean load of circuits and the changes. On two ports all circuits are
// equally busy, and nothing is left.
func TestExchangesLeaveLittleToStagger(t *testing.T) {
	stages := 0
	for _, c := range []struct {
		nodes, ports int
		most         float64
	}{{8, 2, 1}, {12, 2, 1}, {16, 2, 1}, {24, 2, 1}, {16, 3, 1}, {12, 3, 1.06}, {16, 4, 1.04}, {24, 4, 1.05}} {
		for _, delay := range []units.Duration{1, 5} {
			f := fabric.Default()
			f.Nodes, f.Ports, f.Reconfig.Base = c.nodes, c.ports, delay*units.Microsecond
			p, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{
				Fabric: f, Planner: "exchange", Operations: []lightpath.Operation{{Op: collective.AllToAll, Size: 4 * units.MiB}},
			})
			if err != nil {
				t.Fatal(err)
			}
			if len(p.Stages) == 1 {
				continue // nothing is rewired
			}
			stages += len(p.Stages)
			least := p.Cost.Reconfiguration
			for _, s := range p.Steps() {
				bytes := 0.0
				for x := range s.All(p.Collective.Space) {
					for _, r := range x.Routes {
						bytes += p.Bytes(x.Chunks) * r.Share * float64(len(r.Path)-1)
					}
				}
				least += s.Cost.Startup + s.Cost.Propagation + f.Bandwidth.Transmit(bytes/float64(f.Nodes*f.Ports))
			}
			if gain := float64(p.Cost.Total() / least); gain > c.most*(1+1e-9) || gain < 1-1e-9 {
				t.Errorf("%d GPUs of %d ports, %v: up to %.4f, more than %.2f", c.nodes, c.ports, f.Reconfig, gain, c.most)
			}
		}
	}
	if stages < 30 {
		t.Errorf("only %d stages", stages)
	}
}
