package bound_test

import (
	"math"
	"testing"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// A gather on an odd number of two-way ports takes at least as long as the GPU that is short of a
// port for the longest time, by the arithmetic of k stages.
func TestGathersCountTheIdlePort(t *testing.T) {
	for _, n := range []int{7, 27, 129} {
		for _, op := range []collective.Op{collective.AllGather, collective.ReduceScatter} {
			for _, size := range []units.Bytes{units.MiB, 16 * units.MiB, units.GiB} {
				f := fabric.Default()
				f.Nodes, f.Ports, f.Duplex = n, 3, true
				bytes, least := float64(size)*float64(n-1)/float64(n), math.Inf(1)
				for k := 1; k <= n; k++ {
					waits := float64(k-1) * float64(f.WaitFor(f.Reconfig.Least()))
					least = min(least, waits+float64(f.Bandwidth.Transmit(bytes/(3-1/float64(k)))))
				}
				c := &collective.Section{Op: op, Size: size, Space: collective.SpaceOf(op, n, 1)}
				if got := float64(bound.OfOperation(&f, c).Total()); got < least {
					t.Errorf("%v of %v on %d GPUs: bound %.0f ns, least %.0f ns", op, size, n, got, least)
				}
			}
		}
	}
}
