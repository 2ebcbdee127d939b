package bound

import (
	"math"
	"testing"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// The start-ups and circuits of the lags are the least over all sequences of holders.
func TestCastLagsEqualEnumeration(t *testing.T) {
	for _, ports := range []int{1, 2, 3} {
		for _, duplex := range []bool{false, true} {
			for _, n := range []int{2, 3, 5, 8, 13} {
				f := fabric.Default()
				f.Nodes, f.Ports, f.Duplex = n, ports, duplex
				instant := f
				instant.Alpha = 0
				for _, price := range []float64{0, 120, 500, 3000} {
					got := castLags(&f, n, price, n-1)
					hops := meanLags(newReaches(&instant, n), n, n-1)
					for c := 1; c < n; c++ {
						want := hops[c-1] + leastGrowth(&f, c, n-1, price)/float64(n-1)
						if math.Abs(got.mean[c-1]-want) > 1e-9*want {
							t.Errorf("%d nodes, %d ports, duplex %v, %v ns a circuit, %d copies: %v, want %v", n, ports, duplex, price, c, got.mean[c-1], want)
						}
					}
				}
			}
		}
	}
}

// leastGrowth tries all sequences, with the load of a step from hopLoad.
func leastGrowth(f *fabric.Fabric, holders, all int, price float64) float64 {
	if holders == all {
		return 0
	}
	least := math.Inf(1)
	for to := holders + 1; to <= all; to++ {
		passed := hopLoad(f, float64(holders), float64(to-holders), all)
		least = min(least, price*(passed-float64(to-holders))+leastGrowth(f, to, all, price))
	}
	return least + float64(f.Alpha.Time())*float64(all-holders)
}

// With longer lags the bound is never less, and more where many steps are worth their start-ups.
func TestLongerLagsRaiseTheBound(t *testing.T) {
	raised := 0
	for _, ports := range []int{1, 2, 4} {
		for _, size := range []units.Bytes{units.KiB, 4 * units.MiB, 64 * units.MiB, units.GiB} {
			f := fabric.Default()
			f.Nodes, f.Ports = 64, ports
			old, now := newCasting(&f, 64, size, 0).bound(0, lags{}), castBound(&f, 64, size, 0)
			if now < old {
				t.Errorf("%d ports, %v: %v with longer lags, %v without", ports, size, now, old)
			}
			if now > old*1.005 {
				raised++
			}
		}
	}
	if raised < 3 {
		t.Errorf("the bound is raised in %d cases only", raised)
	}
}
