package joint

import (
	"fmt"

	"github.com/lightpath-net/lightpath/topology"
)

// Facing pairs: an allreduce of 2d points with d ports in three steps of one hop that sends no more
// than it must. Everybody is wired to all of the other side, K(d,d), and every circuit's pair has a
// part of the vector, one of d*d. The others send it to the one of the pair that they are wired
// to, the two of the pair exchange what they have added up, and both send the sum back the way
// that it came:
//
//	step   messages of a part   vectors on a circuit
//	1      2(d-1)               (d-1)/d^2
//	2      2                    1/d^2
//	3      2(d-1)               (d-1)/d^2
//
// That is 2(n-1) messages, the fewest that a sum for everybody takes (see prune.go), over all
// circuits alike: (2d-1)/d^2 vectors on each. A scatter and a gather on the same circuits load them
// as much, in four steps.
//
// Points are numbered so that a side has the even ones. Shard v of the vector has d parts, the
// p-th of which belongs to the pair of v and v+2p+1.

// facing returns the exchange of so many points; nil where they are no two sides that the
// ports can face.
func (m *machine) facing(points int) *program {
	d := points / 2
	if points%2 == 1 || d < 2 || d > m.ports {
		return nil
	}
	width := m.ports / d
	takes := shape{}
	for _, parts := range []int{d - 1, 1, d - 1} {
		vectors := float64(parts) / float64(d*d)
		takes = takes.plus(shape{steps: 1, hops: 1, load: m.load(tally{
			hops: 1, peak: vectors / float64(width), dilation: 1 / float64(points*d*width), pair: vectors,
		})})
	}
	lay := func(step func(pair int, add func(from, to int))) func() []stage {
		return func() []stage {
			jumps, mult := make([]int, d), make([]int, d)
			for p := range jumps {
				jumps[p], mult[p] = 2*p+1, width
			}
			net := newNetwork(topology.DirectedCirculant(points, repeat(jumps, mult)...), topology.Rotations(points, 1))
			var ways []way
			for p, other := range jumps {
				step(other, func(from, to int) { ways = append(ways, way{part: p, path: []int32{int32(from), int32(to)}}) })
			}
			return []stage{{net: net, kind: gather, steps: [][]way{ways}}}
		}
	}
	// each names, for every other point, the one of the pair that it is wired to.
	each := func(pair int, yield func(x, wired int)) {
		for x := 1; x < points; x++ {
			switch {
			case x == pair:
			case x%2 == 0:
				yield(x, pair)
			default:
				yield(x, 0)
			}
		}
	}
	return &program{
		shape: takes, points: points, kind: total, scattered: points, parts: d,
		about: fmt.Sprintf("facing pairs of K(%d,%d)", d, d),
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
	p := s.facing(t.nodes)
	if p == nil {
		return
	}
	b.add(s.time(p.shape, s.whole/float64(t.scale)), digit{t.nodes, func() *program { return p }}, 0, solution{})
}
