package interior

import (
	"context"
	"slices"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
)

// leak is the conductance of arcs that carry nothing, so that every node stays connected. It is
// so small that its flow is lost in rounding.
const leak = 1e-30

// Settle returns flows that have the smallest peak and satisfy the constraints to the last
// bits, close to the final flows of the method, whose rounding is some thousand times larger.
// Of every flow and its reduced cost one tends to 0 (strict complementarity): the one that is
// smaller relative to their averages. Set the arcs whose flow does so to nothing, and make
// bundles full whose slack does so: then whatever satisfies the constraints is optimal. If no
// positive flows do, it returns the flows unchanged.
func (s *Point) Settle(ctx context.Context) ([]float64, error) {
	m, n := len(s.Arcs), s.Nodes
	room := arithmetic.Sum(s.circuit)
	flow, price := s.peak/float64(len(s.Sources)), 1/room
	q, d := newNormalEquations(s), newDirection(s)
	flows, slack, peak := slices.Clone(s.Flows), slices.Clone(s.slack), s.peak
	spare := make([]float64, m)
	for k, x := range flows {
		if x*price < s.z[k]*flow {
			flows[k] = 0
		}
		q.d[k] = max(leak, flows[k]*flows[k])
	}
	for e, t := range slack {
		if t*price < s.Lengths[e]*flow {
			slack[e] = 0
		}
		spare[e] = max(leak, slack[e]*slack[e])
	}
	if ok, err := q.factorise(ctx, spare); !ok || err != nil {
		return s.Flows, err
	}
	for range settleRounds {
		copy(q.missing, s.need)
		for e, c := range s.circuit {
			q.h[e] = slack[e] - c*peak
		}
		for k, src := range s.Sources {
			missing := q.missing[k*n : (k+1)*n]
			for e, a := range s.Arcs {
				x := flows[k*m+e]
				missing[a.To] -= x
				missing[a.From] += x
				q.h[e] += x
			}
			missing[src] = 0
		}
		clear(d.x)
		q.lengths(d, 0)
		for k, x := range d.x {
			if flows[k] > 0 {
				flows[k] += x
			}
		}
		for e := range slack {
			if slack[e] > 0 {
				slack[e] -= spare[e] * d.len[e]
			}
		}
		peak += d.peak
	}
	if slices.Min(flows) < 0 {
		return s.Flows, nil
	}
	return flows, nil
}

// settleRounds: the second removes the rounding of the first.
const settleRounds = 2
