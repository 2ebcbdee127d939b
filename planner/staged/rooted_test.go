package staged

import (
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/planner/staged/stagedtest"
	"github.com/lightpath-net/lightpath/units"
)

// With two-way circuits no plan gathers or scatters faster by more than a hop, however many ports
// there are, and with three ports none is faster at all for these sizes: the root's circuits
// share the bytes evenly, and no plan has fewer hops.
func TestNoPlanGathersToOneFasterThanATree(t *testing.T) {
	for _, op := range []collective.Op{collective.Gather, collective.Scatter} {
		for _, n := range []int{4, 5, 6, 7, 13, 20, 24, 27, 40, 48, 60, 99, 100} {
			for _, ports := range []int{3, 4, 5} {
				for _, size := range []units.Bytes{units.KiB, 16 * units.MiB} {
					f := stagedtest.ScaleUp(n, 100*units.Microsecond)
					f.Ports, f.Duplex = ports, true
					r := stagedtest.Request(t, f, op, algorithms.Direct(op), size)
					p := planWith(t, "harvest", r)
					stagedtest.Verify(t, p)
					if got, bound := p.Cost.Total(), p.OperationBound().Total(); got > bound*(1+1e-9) &&
						(ports == 3 || got > bound+f.Delta.Time()*(1+1e-9)) {
						t.Errorf("%s, %d GPUs, %d ports, %v: %v, and the bound is %v", op, n, ports, size, got, bound)
					}
				}
			}
		}
	}
}
