package planning_test

import (
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/units"
)

// TestAFailedPortCostsItsShare: if one GPU loses one of d ports, no plan takes much more than
// d/(d-1) times as long as with all ports, the time that the bytes of that GPU need; the other
// GPUs keep their ports. The plan also takes no longer than with one port fewer everywhere.
func TestAFailedPortCostsItsShare(t *testing.T) {
	for i, op := range []collective.Op{collective.AllReduce, collective.ReduceScatter, collective.Broadcast} {
		for _, nodes := range []int{9, 16} {
			for _, ports := range []int{2, 3} {
				sizes := []units.Bytes{4 * units.KiB, units.MiB, 64 * units.MiB}
				if !samples.Every() {
					sizes = []units.Bytes{sizes[(i+nodes+ports)%3]} // in turn
				}
				for _, size := range sizes {
					delays := []units.Duration{100 * units.Nanosecond, 25 * units.Millisecond}
					if !samples.Every() {
						delays = delays[(i+nodes+ports)%2:][:1] // likewise
					}
					for _, delay := range delays {
						total := func(ports int, failed fabric.Failures) units.Time {
							f := fabric.Default()
							f.Nodes, f.Ports, f.Avoid = nodes, ports, failed
							f.Reconfig.Base = delay
							p, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{
								Fabric: f, Operations: []lightpath.Operation{{Op: op, Size: size}},
							}, lightpath.WithoutBaselines())
							if err != nil {
								t.Fatal(err)
							}
							return p.Cost.Total()
						}
						whole, failed, fewer := total(ports, fabric.Failures{}), total(ports, fabric.FailedPort(7)), total(ports-1, fabric.Failures{})
						if share := float64(ports) / float64(ports-1); float64(failed) > share*1.05*float64(whole) {
							t.Errorf("%s of %v on %d GPUs, %d ports, %v: %v, and %v without one port of GPU 7", op, size, nodes, ports, delay, whole, failed)
						}
						if failed > fewer*(1+1e-9) {
							t.Errorf("%s of %v on %d GPUs, %d ports, %v: %v without one port of GPU 7, and %v with one port less everywhere",
								op, size, nodes, ports, delay, failed, fewer)
						}
					}
				}
			}
		}
	}
}
