package bound

import (
	"math"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// cycle describes plans with two two-way ports whose circuits stay: data gets everywhere only if
// they form a cycle of all n GPUs, or all of it but one circuit. Hops, steps and loads are those
// of ring; loads are over both ports of a GPU, so a load of 1 lets each circuit carry half a
// buffer. The farthest GPUs are far = n/2 hops apart, rounded down.
type cycle struct {
	ring
	far int
}

// onCycle reports whether plans that keep their circuits run on a cycle of all GPUs.
func onCycle(f *fabric.Fabric, n int) bool {
	return f.Ports == 2 && f.Duplex && n == f.Nodes && n > 2 && n <= maxRing
}

func newCycle(f *fabric.Fabric, n int, size units.Bytes) *cycle {
	c := &cycle{ring: *newRing(f, n, size), far: n / 2}
	c.whole /= 2
	return c
}

// windows returns how many GPUs must learn an input in a step, all more than x hops away from
// it. After the step, each GPU has one within z = H-y hops that knows the input. GPUs that are
// more than x+z hops away have none yet. Of these, take as many as possible that are 2z+1
// places apart: no two of them can have the same one.
func (c *cycle) windows(hops, x, y int) int {
	z := hops - y
	if room := c.n - 2*(x+z+1); room >= 0 {
		return 1 + room/(2*z+1)
	}
	return 0
}

// spread returns the least load of a step in which knowledge of an input must move on, as in
// ring.spread: a message over h hops moves on the inputs of at most 2x+1 GPUs, and of at most
// h+x+1-p if all windows are at least p hops away from their inputs.
func (c *cycle) spread(hops, x, y int) float64 {
	windows := c.windows(hops, x, y)
	if windows < 1 {
		return 0
	}
	z := hops - y
	first := (c.n - (windows-1)*(2*z+1)) / 2 // the windows lie around the farthest GPU
	nearest, sum := first-z, 0.0
	for k := range windows {
		at := first + k*(2*z+1)
		least := min(at, c.n-at) - z - x
		if least > y-x {
			return math.Inf(1) // no message travels that far
		}
		h := min(y-x, max(least, nearest+x))
		sum += float64(h) / float64(min(2*x+1, h+x+1-nearest))
	}
	return sum
}

// sums bounds the time of an allreduce on a cycle, in ns, as ring.sums does.
//
// Inputs go one way or the other. One that goes the short way to a GPU t hops away is at a
// place in x-(H-t)..x, so a message moves on at most H-t+1 such inputs. Either each input goes
// to its farthest GPU, far hops or more. Or, with H < n-1, it goes both ways to the two GPUs
// that are t = n-1-H hops away, because the long way is longer than H. An input that turns back
// falls behind by more.
func (c *cycle) sums(limit float64) float64 { return c.summed(limit, c.knowing()) }

func (c *cycle) knowing() *knowing {
	return &knowing{
		n: c.n, far: c.far,
		spread:  c.spread,
		windows: c.windows,
		moves: func(hops int) (rate, saved float64) {
			e := float64(hops - c.far)
			rate, saved = 1/(e+1), e/(e+1)
			if t := float64(c.n - 1 - hops); t > 0 {
				e = float64(hops) - t
				if both := 2 / (e + 1); both*t > rate*float64(c.far) {
					return both, both * e
				}
			}
			return rate, saved
		},
	}
}

// cast bounds the time of a broadcast on a cycle, in ns, and of a reduction, its reverse. slower
// bounds plans with at least some latency.
//
// As in ring.cast, copies get more than x hops away from the root only over the two circuits
// that lead there, once for each window; all bytes leave the root before one place can no longer
// reach all, and arrive at the last place. Furthermore, with H < n-1 GPU n-1-H is out of reach
// the other way round, and so is the one opposite. So all bytes leave the root both ways, in
// steps that begin after at most 2H-n+1 hops.
func (c *cycle) cast(slower func(latency float64) float64) float64 {
	most := 2 * c.far
	c.best = slower(c.alpha + c.delta*float64(most))
	for hops := c.far; hops < most; hops++ {
		least := slower(c.alpha + c.delta*float64(hops))
		if least >= c.best {
			break
		}
		e, both := hops-c.far, 2*hops-c.n+1
		arrive := func(x, y int) float64 {
			count := 0
			if x < c.far && c.far <= y {
				count = 1
			}
			return float64(max(count, c.windows(hops, x, y)))
		}
		once := func(x, y int) float64 {
			if x <= e && e < y {
				return max(1, arrive(x, y))
			}
			return arrive(x, y)
		}
		twice := func(x, y int) float64 {
			switch {
			case y <= both:
				return 0
			case x <= both:
				return 2
			}
			return arrive(x, y)
		}
		rest := func(x int) float64 {
			if x < c.far {
				return 1
			}
			return 0
		}
		time := max(least, c.path(hops, c.best, loads{once, once, rest}))
		if hops < c.n-1 && time < c.best {
			time = max(time, c.path(hops, c.best, loads{twice, twice, func(x int) float64 {
				if x <= both {
					return 2
				}
				return rest(x)
			}}))
		}
		c.best = min(c.best, time)
	}
	return c.best
}
