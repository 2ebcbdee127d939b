package bound_test

import (
	"math"
	"testing"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// Reach: the cheapest stages whose balls multiply to n, compared with all sequences of stages.
// With an odd number of two-way ports some node is short of one in the first stage.
func TestLatencyBoundEqualsEnumeration(t *testing.T) {
	for _, ports := range []int{1, 2, 3} {
		for _, duplex := range []bool{false, true} {
			for _, times := range [][2]units.Duration{{500_000, 500_000}, {1_700_000, 100_000}, {0, 500_000}, {100_000, 2_000_000}} {
				for n := 2; n <= 40; n++ {
					f := fabric.Default()
					f.Nodes, f.Ports, f.Duplex, f.Alpha, f.Delta = n, ports, duplex, times[0], times[1]
					f.Reconfig.Base = units.Duration(n%4) * 700 * units.Nanosecond
					c := collective.Section{Op: collective.AllGather, Size: 1, Space: collective.SpaceOf(collective.AllGather, n, 1)}
					b := bound.OfOperation(&f, &c)
					got := float64(b.Startup + b.Propagation + b.Reconfiguration)
					if want := cheapest(&f, n, 0); math.Abs(got-want) > 1e-6 {
						t.Errorf("n=%d ports=%d duplex=%v %v: %v, enumeration %v", n, ports, duplex, times, got, want)
					}
				}
			}
		}
	}
}

// cheapest tries every number of hops for every stage, at most seven of them.
func cheapest(f *fabric.Fabric, n, depth int) float64 {
	if n <= 1 {
		return 0
	}
	if depth == 7 {
		return math.Inf(1)
	}
	best := math.Inf(1)
	ball, level := 1, f.Ports
	if f.Duplex && f.Nodes*f.Ports%2 == 1 && depth == 0 {
		level--
	}
	for h := 1; h < f.Nodes; h++ {
		ball += level
		if f.Duplex {
			level *= f.Ports - 1
		} else {
			level *= f.Ports
		}
		cost := float64(f.Alpha.Time()) + float64(h)*float64(f.Delta.Time()) + cheapest(f, (n+ball-1)/ball, depth+1)
		if depth > 0 {
			cost += float64(f.LeastWait())
		}
		best = min(best, cost)
		if ball >= n || level == 0 {
			break
		}
	}
	return best
}

// Steps that cost nothing but their bytes have a bound, too: that of the bytes.
func TestBoundsOfFreeSteps(t *testing.T) {
	for _, op := range collective.Ops() {
		for _, n := range []int{2, 3, 5, 8} {
			for _, ports := range []int{1, 2, 3} {
				for _, duplex := range []bool{false, true} {
					for _, wait := range []units.Duration{0, 10 * units.Microsecond} {
						f := fabric.Default()
						f.Nodes, f.Ports, f.Duplex, f.Alpha, f.Delta, f.Reconfig.Base = n, ports, duplex, 0, 0, wait
						got := bound.OfOperation(&f, &collective.Section{Op: op, Size: units.MiB, Space: collective.SpaceOf(op, n, 1)}).Total()
						least := f.Bandwidth.Transmit(float64(units.MiB) / float64(n*ports))
						if !(got >= least) || math.IsInf(float64(got), 1) {
							t.Errorf("%s on %d GPUs, %d ports, two-way %v, wait %v: %v", op, n, ports, duplex, wait, got)
						}
					}
				}
			}
		}
	}
}
