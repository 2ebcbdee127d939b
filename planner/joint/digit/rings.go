package digit

import (
	"fmt"

	"github.com/lightpath-net/lightpath/planner/joint/network"
	"github.com/lightpath-net/lightpath/topology"
)

// ring returns the network in which every point has width links to the next point and, if it is
// two-way, as many to the one before.
func ring(points, width int, twoWay bool) *network.Network {
	step, mult := []int{1}, []int{width}
	if twoWay && points > 2 {
		step, mult = []int{1, points - 1}, []int{width, width}
	}
	g := topology.DirectedCirculant(points, Repeat(step, mult)...)
	return network.New(g.Named(ringName(points, width, twoWay)), topology.Rotations(points, 1))
}

func ringName(points, width int, twoWay bool) string {
	if twoWay && points > 2 {
		return fmt.Sprintf("BiRing(%d,%d)", 2*width, points)
	}
	return fmt.Sprintf("UniRing(%d,%d)", width, points)
}

// Repeat lists every step as often as it has links.
func Repeat(step, mult []int) []int {
	var all []int
	for i, s := range step {
		for range mult[i] {
			all = append(all, s)
		}
	}
	return all
}

// twoWayGather returns the best gather on a two-way ring for shards of the given bytes. A step
// that covers g distances puts 1 + 2 + .. + g shards on every link; data for the opposite point
// goes half each way. The sum is convex in g, so an even cut into steps is best.
func (m *Machine) twoWayGather(points, width int, shard float64) *program {
	d := points / 2
	takes := func(steps int) Shape {
		// The longer steps first: the last distance may be half full.
		short, long := d/steps, d%steps
		sum := float64(steps-long-1) * m.Load(ringStep(points, width, 0, short))
		if long > 0 {
			sum += float64(long) * m.Load(ringStep(points, width, 0, short+1))
		}
		sum += m.Load(ringStep(points, width, d-short, d))
		return Shape{Steps: steps, Hops: d, Load: sum}
	}
	steps := convex(1, d, func(steps int) float64 { return m.Time(takes(steps), shard) })
	return gatherBy(points, 2, takes(steps), ringName(points, width, true), func() (*network.Network, []int) {
		return ring(points, width, true), evenCuts(d, steps)
	})
}

// evenCuts cuts 0..d into the given number of parts, the longer ones first.
func evenCuts(d, steps int) []int {
	cuts := make([]int, steps+1)
	for i := range steps {
		cuts[i+1] = cuts[i] + (d+steps-1-i)/steps
	}
	return cuts
}

// convex returns where a convex function is least. If the function is only nearly convex, the
// result is nearly the best.
func convex(low, high int, f func(int) float64) int {
	for high-low > 2 {
		mid := (low + high) / 2
		if f(mid) <= f(mid+1) {
			high = mid
		} else {
			low = mid
		}
	}
	best, least := low, f(low)
	for x := low + 1; x <= high; x++ {
		if y := f(x); y < least {
			best, least = x, y
		}
	}
	return best
}

// ringStep returns the tally of a step that covers the distances low+1..high on a two-way ring.
func ringStep(points, width, low, high int) network.Tally {
	g := float64(high - low)
	w := float64(width)
	t := network.Tally{Hops: high - low, Peak: g * (g + 1) / 2 / w, Dilation: g / w, Pair: 1}
	if high == points-high {
		t.Peak -= g / 2 / w
		if high == low+1 {
			t.Pair, t.Dilation = 0.5, g/2/w
		}
	}
	return t
}
