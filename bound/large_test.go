package bound_test

import (
	"testing"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// Bounds have limits on the GPUs for which their parts are tried. No bound falls there: 16 times as
// many GPUs need as long or longer.
func TestBoundsDoNotFallWithMoreGPUs(t *testing.T) {
	for _, op := range []collective.Op{collective.Broadcast, collective.AllReduce} {
		for _, ports := range []int{1, 2, 4} {
			for _, duplex := range []bool{false, true} {
				last := units.Time(0)
				for _, n := range []int{256, 4096, 65536} {
					f := fabric.Default()
					f.Nodes, f.Ports, f.Duplex, f.Reconfig.Base = n, ports, duplex, 10*units.Microsecond
					now := bound.OfOperation(&f, &collective.Section{Op: op, Size: units.MiB, Space: collective.SpaceOf(op, n, 1)}).Total()
					if now < last {
						t.Errorf("%v, %d ports, two-way %v: %v with %d GPUs, %v with fewer", op, ports, duplex, now, n, last)
					}
					last = now
				}
			}
		}
	}
}
