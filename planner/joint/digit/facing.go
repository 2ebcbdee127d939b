package digit

import (
	"fmt"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/planner/joint/network"
	"github.com/lightpath-net/lightpath/topology"
)

// Facing pairs: an allreduce in three steps of one hop that sends no more than necessary. Points
// form r sides of q, and each is connected to all points of the other sides, with d = n-q ports.
// The pair at the ends of each circuit handles one part of the vector. The others send that part
// to the point of the pair that they are connected to, the two exchange their sums, and both send
// the total back the same way:
//
//	step   messages of a part   vectors on a circuit
//	1      n-2                  (n-2)/nd
//	2      2                    2/nd
//	3      n-2                  (n-2)/nd
//
// That is 2(n-1) messages, the fewest for an allreduce (see prune.go), evenly over all circuits. A
// scatter and a gather on the same circuits have the same load, in four steps. With two sides
// n = 2d; with more sides n is smaller.
//
// No other circulants allow this: if every point is connected to one of any pair, two points that
// are not connected to a third are not connected to each other. So 0 and the points not connected
// to it form a subgroup; here it is the multiples of r. Shard v of the vector has d parts, one for
// each point that v is connected to.

// facing returns the exchanges between facing pairs that the ports allow for the number of
// points.
func (m *Machine) facing(points int) []*program {
	var all []*program
	for _, sides := range arithmetic.Divisors(points) {
		if d := points - points/sides; sides > 1 && sides < points && d <= m.Ports {
			all = append(all, m.facingSides(points, sides))
		}
	}
	return all
}

func (m *Machine) facingSides(points, sides int) *program {
	var jumps, mult []int
	d := points - points/sides
	width := m.Ports / d
	for x := range points {
		if x%sides > 0 {
			jumps, mult = append(jumps, x), append(mult, width)
		}
	}
	takes := Shape{}
	for _, parts := range []int{points - 2, 2, points - 2} {
		vectors := float64(parts) / float64(points*d)
		takes = takes.plus(Shape{Steps: 1, Hops: 1, Load: m.Load(network.Tally{
			Hops: 1, Peak: vectors / float64(width), Dilation: 1 / float64(points*d*width), Pair: vectors,
		})})
	}
	lay := func(step func(pair int, add func(from, to int))) func() []stage {
		return func() []stage {
			net := network.New(topology.DirectedCirculant(points, Repeat(jumps, mult)...), topology.Rotations(points, 1))
			var ways []network.Way
			for p, other := range jumps {
				step(other, func(from, to int) { ways = append(ways, network.Way{Part: p, Path: []int32{int32(from), int32(to)}}) })
			}
			return []stage{{Net: net, kind: gather, steps: [][]network.Way{ways}}}
		}
	}
	// each names, for every other point, the point of the pair that it is wired to: 0, unless it
	// is on the same side as 0. A point that is wired to both sends its part to 0 here. The other
	// part of the pair, which is in the other point's shard, goes to the other point.
	each := func(pair int, yield func(x, wired int)) {
		for x := 1; x < points; x++ {
			switch {
			case x == pair:
			case x%sides == 0:
				yield(x, pair)
			default:
				yield(x, 0)
			}
		}
	}
	return &program{
		Shape: takes, points: points, kind: total, scattered: points, parts: d,
		about: fmt.Sprintf("facing pairs of %d sides of %d", sides, points/sides),
		sums:  lay(func(pair int, add func(from, to int)) { each(pair, func(x, wired int) { add(x, wired) }) }),
		core: lay(func(pair int, add func(from, to int)) {
			add(0, pair)
			add(pair, 0)
		}),
		Lay: lay(func(pair int, add func(from, to int)) { each(pair, func(x, wired int) { add(wired, x) }) }),
		has: Uses{Networks: true},
	}
}

// onFacing tries facing pairs. They leave no shard that inner digits could go on with.
func (s *Search) onFacing(b *Board, t Task) {
	if t.Op != AllReduce || s.NoExchange || s.NoNetworks || !s.may(t, t.Nodes) {
		return
	}
	for _, p := range s.facing(t.Nodes) {
		if s.cutsBytes(p.parts) {
			continue
		}
		b.add(s.Time(p.Shape, s.Bytes/float64(t.Scale)), digit{t.Nodes, func() *program { return p }}, 0, Solution{})
	}
}
