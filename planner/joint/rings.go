package joint

import (
	"fmt"

	"github.com/lightpath-net/lightpath/topology"
)

// ring returns the network in which every point has so many links to the next and,
// if it is two-way, as many to the one before.
func ring(points, width int, twoWay bool) *network {
	step, mult := []int{1}, []int{width}
	if twoWay && points > 2 {
		step, mult = []int{1, points - 1}, []int{width, width}
	}
	g := topology.DirectedCirculant(points, repeat(step, mult)...)
	return newNetwork(g.Named(ringName(points, width, twoWay)), topology.Rotations(points, 1))
}

func ringName(points, width int, twoWay bool) string {
	if twoWay && points > 2 {
		return fmt.Sprintf("BiRing(%d,%d)", 2*width, points)
	}
	return fmt.Sprintf("UniRing(%d,%d)", width, points)
}

// repeat lists every step as often as it has links.
func repeat(step, mult []int) []int {
	var all []int
	for i, s := range step {
		for range mult[i] {
			all = append(all, s)
		}
	}
	return all
}

// ringGathers are the gathers on a ring, by closed forms. On a one-way ring a step that
// covers g distances puts 1 + 2 + .. + g shards on every link, on a two-way ring too, with
// half the distances; what is as far one way as the other goes half each way. The sum is
// convex in g, so the best cut into s steps is an even one.
func (m *machine) ringGathers(points, width int, twoWay bool) []*program {
	d, parts := points-1, 1
	twoWay = twoWay && points > 2
	if twoWay {
		d = points / 2
		parts = 2
	}
	name := ringName(points, width, twoWay)
	var programs []*program
	for s := 1; s <= d; s++ {
		// The longer steps first: on a two-way ring the last distance may be half full.
		short, long := d/s, d%s
		sum := float64(long) * m.load(ringStep(points, width, twoWay, 0, short+1))
		sum += float64(s-long-1) * m.load(ringStep(points, width, twoWay, 0, short))
		sum += m.load(ringStep(points, width, twoWay, d-short, d))
		at := func() (*network, []int) {
			cuts := make([]int, s+1)
			for i := range s {
				cuts[i+1] = cuts[i] + (d+s-1-i)/s
			}
			return ring(points, width, twoWay), cuts
		}
		programs = append(programs, gatherBy(points, parts, shape{steps: s, hops: d, load: sum}, name, at))
	}
	return programs
}

// ringStep is what a step takes that covers the distances low+1..high on a ring.
func ringStep(points, width int, twoWay bool, low, high int) tally {
	g := float64(high - low)
	t := tally{hops: high - low, peak: g * (g + 1) / 2, dilation: g, pair: 1}
	if twoWay {
		t.dilation = g / 2 // a part is half a shard
		if high == points-high {
			t.peak -= g / 2
			if high == low+1 {
				t.pair = 0.5
			}
		}
	}
	t.peak /= float64(width)
	t.dilation /= float64(width)
	return t
}
