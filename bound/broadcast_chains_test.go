package bound

import (
	"fmt"
	"math"
	"math/bits"
	"testing"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// The bound for chains is the least over all sequences of stages and all ways to divide them
// into steps, each with K and R as they are in that order.
func TestCastChainsEqualEnumeration(t *testing.T) {
	for _, n := range []int{4, 6, 9, 12, 16} {
		for _, size := range []units.Bytes{units.KiB, 16 * units.KiB, 100 * units.KiB} {
			for _, wait := range []units.Duration{0, 400 * units.Nanosecond, 5 * units.Microsecond} {
				f := fabric.Default()
				f.Nodes, f.Ports, f.Reconfig.Base = n, 1, wait
				f.Delta = 350 * units.Nanosecond
				l := listedChains{f: &f, n: n, whole: float64(f.Bandwidth.Transmit(float64(size))), best: 30_000}
				l.visit(nil)
				got := castChains(&f, n, size, 0, 30_000)
				if math.Abs(got-l.best) > 1e-6*l.best {
					t.Errorf("%d nodes, %v, %v: %v, of all shapes %v", n, size, wait, got, l.best)
				}
			}
		}
	}
}

// Hops that take no time do not keep the bound from being found, and nothing is below it.
func TestCastChainsWithFreeHops(t *testing.T) {
	for _, n := range []int{4, 6, 9} {
		for _, wait := range []units.Duration{0, 400 * units.Nanosecond} {
			for _, limit := range []float64{1_030, 1_700} {
				f := fabric.Default()
				f.Nodes, f.Ports, f.Reconfig.Base, f.Delta = n, 1, wait, 0
				l := listedChains{f: &f, n: n, whole: float64(f.Bandwidth.Transmit(float64(units.KiB))), best: limit}
				l.visit(nil)
				if got := castChains(&f, n, units.KiB, 0, limit); math.Abs(got-l.best) > 1e-6*l.best {
					t.Errorf("%d nodes, wait %v, limit %v: %v, of all shapes %v", n, wait, limit, got, l.best)
				}
			}
		}
	}
	f := fabric.Default()
	f.Nodes, f.Ports, f.Alpha, f.Delta = 30, 1, 100*units.Nanosecond, 0
	c := chains{n: 30, alpha: 100, whole: 1, best: math.Inf(1)} // no limit ends the search
	if !c.visit(1, 0) && c.shapes <= maxChainShapes {
		t.Error("the search gave up")
	}
}

// listedChains tries all shapes.
type listedChains struct {
	f           *fabric.Fabric
	n           int
	whole, best float64
}

func (l *listedChains) visit(shape []int) {
	latency, reach := float64(l.f.LeastWait())*float64(max(0, len(shape)-1)), 1
	for _, hops := range shape {
		latency += float64(l.f.Alpha.Time()) + float64(l.f.Delta.Time())*float64(hops)
		reach *= 1 + hops
	}
	if latency+l.whole >= l.best {
		return
	}
	if reach >= l.n && len(shape) > 1 {
		loads, before, after := 0.0, 1.0, float64(reach)
		for _, hops := range shape {
			after /= float64(1 + hops)
			least := math.Inf(1)
			for cut := range 1 << (hops - 1) { // a bit for each place between two hops
				sum, x := -float64(l.f.Alpha.Time()), 0
				for y := 1; y <= hops; y++ {
					if y < hops && cut>>(y-1)&1 == 0 {
						continue
					}
					sum += float64(l.f.Alpha.Time())
					if far := float64(l.n)/after - before*float64(1+x+hops-y); far > 0 {
						sum += l.whole * far / float64(hops-y+1) / before
					}
					x = y
				}
				least = min(least, sum)
			}
			loads += least
			before *= float64(1 + hops)
		}
		l.best = min(l.best, latency+max(l.whole, loads))
	}
	for hops := 1; latency+float64(l.f.Delta.Time())*float64(hops) < l.best && hops < 16; hops++ {
		l.visit(append(shape[:len(shape):len(shape)], hops))
	}
}

// No way to bring copies along one or two chains has less load than the bound, however the hops
// are divided: all sets of places that have a copy after each step are tried.
func TestChainLoadsAgainstAllCopies(t *testing.T) {
	for chains := 1; chains <= 2; chains++ {
		for hops := 1; hops <= 6/chains; hops++ {
			for cut := range 1 << (hops - 1) {
				c := copying{chains: chains, hops: hops}
				for y := 1; y <= hops; y++ {
					if y == hops || cut>>(y-1)&1 == 1 {
						c.ends = append(c.ends, y)
					}
				}
				least := c.least()
				for want := chains; want <= chains*(1+hops); want++ {
					sum, x := 0.0, 0
					for _, y := range c.ends {
						far := float64(want)/float64(chains) - float64(1+x+hops-y)
						sum += max(0, far/float64(hops-y+1))
						x = y
					}
					if sum > least[want]+1e-9 {
						t.Errorf("%s, %d nodes in the end: at least %v, there is one with %v", c.String(), want, sum, least[want])
					}
				}
			}
		}
	}
}

// copying is chains of 1+hops places, with a copy at the first place, and the hops after each
// step.
type copying struct {
	chains, hops int
	ends         []int
}

func (c *copying) String() string {
	return fmt.Sprintf("%d chains, steps that end after %v hops", c.chains, c.ends)
}

// least returns the least sum of the loads of all steps, by the number of copies at the end.
func (c *copying) least() map[int]float64 {
	places := 1 + c.hops
	start := 0
	for i := range c.chains {
		start |= 1 << (i * places)
	}
	sums := map[int]float64{start: 0}
	x := 0
	for _, y := range c.ends {
		next := map[int]float64{}
		for had, sum := range sums {
			for has := range 1 << (places * c.chains) {
				if has&had != had {
					continue
				}
				if load, ok := c.load(had, has, y-x); ok {
					if known, ok := next[has]; !ok || sum+load < known {
						next[has] = sum + load
					}
				}
			}
		}
		sums, x = next, y
	}
	least := map[int]float64{}
	for has, sum := range sums {
		for want := range bits.OnesCount(uint(has)) + 1 {
			if known, ok := least[want]; !ok || sum < known {
				least[want] = sum
			}
		}
	}
	return least
}

// load returns the load of a step of the given hops, in which new places get a copy from the
// nearest earlier holder.
func (c *copying) load(had, has, hops int) (float64, bool) {
	places, most := 1+c.hops, 0
	for chain := range c.chains {
		on := make([]int, places) // copies over the circuit to a place
		for v := range places {
			if at := chain*places + v; has>>at&1 == 0 || had>>at&1 == 1 {
				continue
			}
			u := v
			for ; had>>(chain*places+u)&1 == 0; u-- {
				on[u]++
				most = max(most, on[u])
			}
			if v-u > hops {
				return 0, false
			}
		}
	}
	return float64(most), true
}
