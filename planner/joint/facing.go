package joint

import (
	"fmt"

	"github.com/lightpath-net/lightpath/topology"
)

// Facing pairs: an allreduce in three steps of one hop that sends no more than it must. Points form
// r sides of q, and everybody is wired to all of the other sides, with d = n-q ports. Every circuit's
// pair has a part of the vector. The others send it to the one of the pair that they are wired
// to, the two of the pair exchange what they have added up, and both send the sum back the way
// that it came:
//
//	step   messages of a part   vectors on a circuit
//	1      n-2                  (n-2)/nd
//	2      2                    2/nd
//	3      n-2                  (n-2)/nd
//
// That is 2(n-1) messages, the fewest that a sum for everybody takes (see prune.go), over all
// circuits alike. A scatter and a gather on the same circuits load them as much, in four steps.
// With two sides it is n = 2d; with more of them n is less.
//
// These are the only circulants for it: where every point is wired to one of any pair, two that are
// not wired to a third are not wired to each other, so that who is not wired to 0 forms, with
// 0, a subgroup. Here it is the multiples of r. Shard v of the vector has d parts, one for each point
// that v is wired to.

// facing returns the exchanges of so many points that the ports allow.
func (m *machine) facing(points int) []*program {
	var all []*program
	for _, sides := range divisors(points) {
		if d := points - points/sides; sides > 1 && sides < points && d <= m.ports {
			all = append(all, m.facingSides(points, sides))
		}
	}
	return all
}

func (m *machine) facingSides(points, sides int) *program {
	var jumps, mult []int
	d := points - points/sides
	width := m.ports / d
	for x := range points {
		if x%sides > 0 {
			jumps, mult = append(jumps, x), append(mult, width)
		}
	}
	takes := shape{}
	for _, parts := range []int{points - 2, 2, points - 2} {
		vectors := float64(parts) / float64(points*d)
		takes = takes.plus(shape{steps: 1, hops: 1, load: m.load(tally{
			hops: 1, peak: vectors / float64(width), dilation: 1 / float64(points*d*width), pair: vectors,
		})})
	}
	lay := func(step func(pair int, add func(from, to int))) func() []stage {
		return func() []stage {
			net := newNetwork(topology.DirectedCirculant(points, repeat(jumps, mult)...), topology.Rotations(points, 1))
			var ways []way
			for p, other := range jumps {
				step(other, func(from, to int) { ways = append(ways, way{part: p, path: []int32{int32(from), int32(to)}}) })
			}
			return []stage{{net: net, kind: gather, steps: [][]way{ways}}}
		}
	}
	// each names, for every other point, the one of the pair that it is wired to: 0, unless it is of
	// the same side. Where it is wired to both, 0 gets its part here and the other one the other
	// part of the pair, which that one's shard has.
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
		shape: takes, points: points, kind: total, scattered: points, parts: d,
		about: fmt.Sprintf("facing pairs of %d sides of %d", sides, points/sides),
		sums:  lay(func(pair int, add func(from, to int)) { each(pair, func(x, wired int) { add(x, wired) }) }),
		core: lay(func(pair int, add func(from, to int)) {
			add(0, pair)
			add(pair, 0)
		}),
		lay: lay(func(pair int, add func(from, to int)) { each(pair, func(x, wired int) { add(wired, x) }) }),
		has: uses{networks: true},
	}
}

// onFacing tries facing pairs, which leave no shard that digits within could go on with.
func (s *search) onFacing(b *board, t task) {
	if t.op != allReduce || s.noExchange || s.noNetworks || t.nodes == s.noPoints {
		return
	}
	for _, p := range s.facing(t.nodes) {
		b.add(s.time(p.shape, s.whole/float64(t.scale)), digit{t.nodes, func() *program { return p }}, 0, solution{})
	}
}
