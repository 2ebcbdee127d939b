package bound

import (
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/lp"
)

// spreading is the task of the first two steps of an allreduce, with the given hops: after them
// at least some number of nodes know each input. Backwards in time it is the task of the last
// two steps, for outputs.
type spreading struct{ first, second, nodes int }

// spreads returns the least load of both steps, in messages times circuits per node, for each
// pair of meetingWeights.
//
// Let node w receive a messages in the first step and send b in the second, and z = 1+b. A
// message of the first step brings one input, that of its sender. So an input of node u that is
// sent to some nodes first is known by at most the sum of z over these and u afterwards. If m
// nodes must know it,
//
//   - the sum of z over those nodes is at least m - z(u),
//   - so they are at least (m - z(u))/Z, rounded up, where Z is the largest z.
//
// Over all nodes, the mean of a z is at least that of max(0, m-z), and the mean of a is at least
// that of the number in the second line. The least mean load is a linear program over the
// frequencies of all (a, b). The load of a is convex, and linear between levels, and for given
// a, all else is linear in b except at levels, at z = m and where m-z is a multiple of Z. So
// only these numbers and their neighbours matter.
func (p *sumProgram) spreads(task spreading) *[len(meetingWeights)]float64 {
	if known := p.spread[task]; known != nil {
		return known
	}
	found := new([len(meetingWeights)]float64)
	p.spread[task] = found
	in, out := p.nearest(task.first), p.nearest(task.second)
	most := len(out) // Z
	if task.nodes == 1 {
		return found
	}
	received, sent := p.corners(len(in)-1), p.corners(len(out)-1)
	for z := task.nodes; z > 0; z -= most {
		sent = append(sent, z-2, z-1, z)
	}
	slices.Sort(sent)
	sent = slices.Compact(sent)
	for i, w := range meetingWeights {
		var cost []float64
		var all, places, messages []lp.Term
		for _, a := range received {
			for _, b := range sent {
				if b < 0 || b >= most {
					continue
				}
				column, z := len(cost), 1+b
				cost = append(cost, float64(w[0]*in[a]+w[1]*out[b]))
				short := max(0, task.nodes-z)
				all = append(all, lp.Term{Column: column, Value: 1})
				places = append(places, lp.Term{Column: column, Value: float64(a*z-short) / float64(task.nodes)})
				messages = append(messages, lp.Term{Column: column, Value: float64(a) - math.Ceil(float64(short)/float64(most))})
			}
		}
		ones := make([]float64, len(cost)) // no share of the nodes is more
		for i := range ones {
			ones[i] = 1
		}
		rows := newProved(cost, ones)
		rows.add(1, all...)
		rows.add(0, places...)
		rows.add(0, messages...)
		found[i] = rows.least()
	}
	return found
}

// corners returns the numbers of nearest nodes at which another level begins, up to a number.
func (p *sumProgram) corners(most int) []int {
	list := []int{0}
	for _, level := range p.levels[1:] {
		next := list[len(list)-1] + int(level)
		if next >= most {
			break
		}
		list = append(list, next)
	}
	return append(list, most)
}
