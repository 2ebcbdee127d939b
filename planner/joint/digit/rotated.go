package digit

import (
	"fmt"
	"math"

	"github.com/lightpath-net/lightpath/internal/capped"
	"github.com/lightpath-net/lightpath/planner/joint/network"
	"github.com/lightpath-net/lightpath/topology"
)

// This file has gathers on a fixed torus with k equal sides of p points, n = p^k. Every shard is
// cut into k parts, and part i is gathered along side i first, then along side i+1, and so on
// cyclically. So in every phase the circuits of each side carry a different part, all ports are
// busy, and nothing is sent that a gather need not send. That takes k(p-1) hops, or k p/2 over
// two-way circuits. If all parts took the digits in the same order, the gather would leave all
// but one side idle, or would have to reconfigure. (Torus algorithms have rotated parts since
// the hypercube of Johnsson and Ho 1989; here the phases have coarse steps.)
//
// In phase t a node forwards its part of the shards of p^t points, so a step that covers g
// distances puts p^t/k times 1 + 2 + .. + g shards on every link.

// rotatedTorus is a fixed torus with equal sides.
type rotatedTorus struct {
	points, sides, side int
	width               int // of a bundle in one direction
	twoWay              bool
}

// rotatedTori lists the tori with the given number of points.
func (m *Machine) rotatedTori(points int) []rotatedTorus {
	var all []rotatedTorus
	for sides := 2; sides <= m.Ports && 1<<sides <= points; sides++ {
		side := int(math.Round(math.Pow(float64(points), 1/float64(sides))))
		if capped.Power(side, sides, points+1) != points {
			continue
		}
		if !m.Duplex || side == 2 {
			all = append(all, rotatedTorus{points, sides, side, m.Ports / sides, false})
		}
		if w := m.Ports / sides / 2; w > 0 && side > 2 {
			all = append(all, rotatedTorus{points, sides, side, w, true})
		}
	}
	return all
}

// loads returns the load per hop in phase t, and the amount that a pair exchanges, in shards.
func (r rotatedTorus) loads(t int) (each, pair float64) {
	pair = float64(capped.Power(r.side, t, r.points)) / float64(r.sides)
	return pair / float64(r.width), pair
}

// gatherOn returns the gather with the best number of steps per phase for shards of this size.
func (m *Machine) gatherOn(r rotatedTorus, shard float64) *program {
	sum, way := Shape{}, ringSpacing(r.side, r.twoWay)
	steps := make([]int, r.sides)
	for t := range steps {
		each, pair := r.loads(t)
		steps[t] = way.best(m, shard, each, pair)
		sum = sum.plus(Shape{Steps: steps[t], Hops: way.far, Load: way.price(m, steps[t], each, pair)})
	}
	lay := func() []stage { return r.lay(steps) }
	return &program{
		Shape: sum, points: r.points, kind: gather, scattered: r.points, parts: r.parts(),
		about: fmt.Sprintf("gather on %s, its parts along the sides in rotated order", r.name()), Lay: lay, turned: lay,
		has: Uses{Networks: true},
	}
}

func (r rotatedTorus) name() string {
	if r.twoWay {
		return fmt.Sprintf("BiTorus(%d^%d)", r.side, r.sides)
	}
	return fmt.Sprintf("UniTorus(%d^%d)", r.side, r.sides)
}

// parts returns the number of parts of a shard: one for each side, or two if data for the
// opposite point goes half each way.
func (r rotatedTorus) parts() int { return ringParts(r.side, r.twoWay) * r.sides }

// lay lays out the ways of point 0's data.
func (r rotatedTorus) lay(steps []int) []stage {
	n, p := r.points, r.side
	dims := make([]int, r.sides)
	weight := make([]int, r.sides)
	for i := range dims {
		dims[i], weight[i] = p, capped.Power(p, r.sides-1-i, n)
	}
	shift := func(v, side, by int) int {
		at := v / weight[side] % p
		return v + ((at+by+p)%p-at)*weight[side]
	}
	var edges []topology.Edge
	for v := range n {
		for side := range r.sides {
			edges = append(edges, topology.Edge{From: v, To: shift(v, side, 1), Count: r.width})
			if r.twoWay {
				edges = append(edges, topology.Edge{From: v, To: shift(v, side, -1), Count: r.width})
			}
		}
	}
	net := network.New(topology.New(n, r.name(), edges), topology.Translation(dims...))
	var all [][]network.Way
	halves := r.parts() / r.sides
	has := make([][]int, r.sides) // the points that have part i
	for i := range has {
		has[i] = []int{0}
	}
	for t := range r.sides {
		for _, sends := range ringSpacing(p, r.twoWay).sends(steps[t]) {
			var step []network.Way
			for i := range r.sides {
				side := (i + t) % r.sides
				send := func(from, part int, x send, direction int) {
					path := make([]int32, 0, x.to-x.from+1)
					for h := x.from; h <= x.to; h++ {
						path = append(path, int32(shift(from, side, direction*h)))
					}
					step = append(step, network.Way{Part: part, Path: path})
				}
				for _, a := range has[i] {
					for _, x := range sends {
						for half := range halves {
							part := i*halves + half
							switch {
							case !r.twoWay:
								send(a, part, x, 1)
							case 2*x.to == p:
								send(a, part, x, 1-2*half)
							default:
								send(a, part, x, 1)
								send(a, part, x, -1)
							}
						}
					}
				}
			}
			all = append(all, step)
		}
		for i := range has {
			var more []int
			for _, a := range has[i] {
				for x := range p {
					more = append(more, shift(a, (i+t)%r.sides, x))
				}
			}
			has[i] = more
		}
	}
	return []stage{{Net: net, kind: gather, steps: all}}
}
