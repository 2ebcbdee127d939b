package bound_test

import (
	"math"
	"math/bits"
	"testing"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// The circuits that a byte uses on an arc of a ring, compared with all ways to give it to all
// in that many steps: in each step, any of those that lack it get it from the nearest preceding
// holder.
func TestArcLoadsEqualEnumeration(t *testing.T) {
	const most = 9
	table := bound.ArcLoads(most)
	for g := 1; g <= most; g++ {
		full := uint(1)<<g - 1
		least := map[uint]int{1: 0}
		for s := 1; s < g; s++ {
			next := map[uint]int{}
			for have, cost := range least {
				for add := full &^ have; ; add = (add - 1) & (full &^ have) {
					sum := cost
					for rest := add; rest != 0; rest &= rest - 1 {
						at := bits.TrailingZeros(rest)
						sum += at - (bits.Len(have&(1<<at-1)) - 1)
					}
					if known, ok := next[have|add]; !ok || sum < known {
						next[have|add] = sum
					}
					if add == 0 {
						break
					}
				}
			}
			least = next
			if got := table[s][g]; got > float64(least[full])+1e-9 {
				t.Errorf("%d nodes in %d steps: %v, but %d is possible", g, s, got, least[full])
			} else if got < float64(least[full])-1 {
				t.Errorf("%d nodes in %d steps: %v is far below %d", g, s, got, least[full])
			}
		}
	}
}

// Consider the ways of one byte: every sequence of holders, stages and steps costs at least the
// bound for a gather, also with several ports, if a holder has d neighbours, d^2 at two hops,
// and so on, and stages may begin anywhere.
func TestGatherBoundIsTheCheapestWayOfAByte(t *testing.T) {
	for _, ports := range []int{2, 3} {
		for n := 2; n <= 9; n++ {
			for _, size := range []units.Bytes{units.KiB, 200 * units.KiB, 10 * units.MiB} {
				for _, delay := range []units.Duration{0, 300 * units.Nanosecond, 5 * units.Microsecond} {
					f := fabric.Default()
					f.Nodes, f.Ports, f.Reconfig.Base = n, ports, delay
					c := collective.Section{Op: collective.AllGather, Size: size, Space: collective.SpaceOf(collective.AllGather, n, 1)}
					got := float64(bound.OfOperation(&f, &c).Total())
					if want := cheapestGrowth(&f, n, size, growth{holders: 1, first: 1}); got > want*(1+1e-9) {
						t.Errorf("n=%d ports=%d %v %v: the bound is %v, but a byte can go for %v", n, ports, size, delay, got, want)
					}
				}
			}
		}
	}
}

// growth is the progress of a byte: its holders, those at the beginning of the stage, the hops
// of the stage so far, and whether the stage has a step.
type growth struct {
	holders, first, hops int
	up                   bool
}

// cheapestGrowth tries every step.
func cheapestGrowth(f *fabric.Fabric, n int, size units.Bytes, so growth) float64 {
	holders, first, hops := so.holders, so.first, so.hops
	if holders == n {
		return 0
	}
	relay := float64(f.Bandwidth.Transmit(float64(size) / float64(n) / float64(f.Ports)))
	best := math.Inf(1)
	if so.up { // change the circuits
		best = float64(f.LeastWait()) + cheapestGrowth(f, n, size, growth{holders: holders, first: holders})
	}
	ball := 1.0
	for h := 1; h <= hops; h++ {
		ball += math.Pow(float64(f.Ports), float64(h))
	}
	passed, got, room := 0.0, 0, 0.0
	for h := 1; h <= 3 && float64(first)*ball < float64(n*(f.Ports+1)); h++ {
		ball += math.Pow(float64(f.Ports), float64(hops+h))
		room = float64(holders) * math.Pow(float64(f.Ports), float64(h))
		for range int(room) {
			if holders+got == n || float64(holders+got+1) > float64(first)*ball {
				break
			}
			got++
			passed += float64(h)
			cost := float64(f.Alpha.Time()) + float64(h)*float64(f.Delta.Time()) + relay*passed
			if cost < best {
				best = min(best, cost+cheapestGrowth(f, n, size, growth{holders + got, first, hops + h, true}))
			}
		}
	}
	return best
}
