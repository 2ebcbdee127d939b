package digit

import (
	"fmt"

	"github.com/lightpath-net/lightpath/planner/joint/network"
	"github.com/lightpath-net/lightpath/topology"
)

// ring returns the network in which every point has width links to the next point and, on a
// two-way ring, width links to the previous point.
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

// ringSpacing returns the spacing of points on a ring; on a two-way ring, the spacing of each
// direction. Data for the opposite point goes half in each direction.
func ringSpacing(points int, twoWay bool) *spacing {
	switch {
	case !twoWay:
		return newSpacing(points-1, 1)
	case points%2 == 0:
		return newSpacing(points/2, 0.5)
	}
	return newSpacing(points/2, 1)
}

// ringParts returns the number of parts into which ringSpacing cuts a shard.
func ringParts(points int, twoWay bool) int {
	if twoWay && points%2 == 0 {
		return 2
	}
	return 1
}

// twoWayGather returns the best gather on a two-way ring for shards of the given bytes.
func (m *Machine) twoWayGather(points, width int, shard float64) *program {
	s := ringSpacing(points, true)
	each, parts := 1/float64(width), ringParts(points, true)
	steps := s.best(m, shard, each, 1)
	net := func() *network.Network { return ring(points, width, true) }
	lay := func() []stage {
		one := stage{Net: net()}
		for _, sends := range s.sends(steps) {
			var step []network.Way
			for _, x := range sends {
				for part := range parts {
					for _, direction := range [...]int{1, -1} {
						if 2*x.to == points && direction != 1-2*part {
							continue // the other half goes in this direction
						}
						var path []int32
						for v := x.from; v <= x.to; v++ {
							path = append(path, int32((direction*v+points)%points))
						}
						step = append(step, network.Way{Part: part, Path: path})
					}
				}
			}
			one.steps = append(one.steps, step)
		}
		return []stage{one}
	}
	return &program{
		Shape:  Shape{Steps: steps, Hops: s.far, Load: s.price(m, steps, each, 1)},
		points: points, kind: gather, scattered: points, parts: parts,
		about: "gather on " + ringName(points, width, true), Lay: lay, turned: lay, on: net,
	}
}

// evenCuts cuts 0..d into the given number of parts of nearly equal length, longer parts first.
func evenCuts(d, steps int) []int {
	cuts := make([]int, steps+1)
	for i := range steps {
		cuts[i+1] = cuts[i] + (d+steps-1-i)/steps
	}
	return cuts
}

// convex returns the argument that minimises a convex function. If the function is only nearly
// convex, the result is nearly the best.
func convex(low, high int, f func(int) float64) int {
	for high-low > 2 {
		if mid := (low + high) / 2; f(mid) <= f(mid+1) {
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
