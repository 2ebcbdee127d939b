package jumpset

import (
	"context"
	"slices"

	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/routing"
)

// RelaySequence finds jumps whose directed circulant graph has a small sum of distances, each
// the best given those before. It can produce any number of jumps, at O(n^2) each. The first is
// 1, without loss of generality if any jump is coprime to n.
type RelaySequence struct {
	Jumps []int
	dist  *Distances
	next  *nextJump
}

func NewRelaySequence(nodes int) *RelaySequence {
	s := &RelaySequence{dist: newDistances(nodes), next: newNextJump(nodes)}
	s.take(1)
	return s
}

// Extend makes the sequence at least d long, d < nodes. Once all offsets are at most 2 hops
// away, a new jump lowers the sum by 1 and no jump could lower it more: RelayBound is attained
// from there on.
func (s *RelaySequence) Extend(ctx context.Context, d int) error {
	for len(s.Jumps) < d {
		if err := ctx.Err(); err != nil {
			return err
		}
		jump := 0
		if slices.Max(s.dist.Hops) <= 2 {
			jump = slices.Index(s.dist.Hops, 2)
		} else {
			jump, _ = s.next.best(ctx, s.dist, MaxTotal)
		}
		s.take(jump)
	}
	return nil
}

func (s *RelaySequence) take(jump int) {
	s.dist.with(s.dist, jump)
	s.Jumps = append(s.Jumps, jump)
}

// SwapRelay exchanges single jumps for better ones until no exchange lowers the sum of
// distances, or the bound is reached. Looking at all d jumps once takes O(d*n^2 + d^2*n).
func SwapRelay(ctx context.Context, nodes int, jumps []int) ([]int, error) {
	jumps = slices.Clone(jumps)
	total := DistancesOf(nodes, jumps).Total
	floor := model.RelayHops(nodes, 1, len(jumps))
	next := newNextJump(nodes)
	for quiet, i := 0, 0; quiet < len(jumps) && total > floor; i = (i + 1) % len(jumps) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		others := slices.Delete(slices.Clone(jumps), i, i+1)
		jump, less := next.best(ctx, DistancesOf(nodes, others), total)
		if jump == 0 {
			quiet++
			continue
		}
		quiet, total = 1, less // the new jump is the best given the others
		jumps[i] = jump
	}
	return jumps, nil
}

// Relayed returns a routing over shortest paths with one stage per jump. Jumps commute, so
// once a jump is not the last of any shortest path to an offset, it is not on the paths to
// earlier offsets either. One pass over the jumps therefore finds a path. It takes
// O(total + n*d).
func Relayed(nodes int, jumps []int) *routing.Ways {
	r := &routing.Ways{Group: model.Rotations(nodes), Ports: 1, Legs: make([][]model.Leg, nodes)}
	for _, j := range jumps {
		r.Generators = append(r.Generators, []int{j})
	}
	dist := DistancesOf(nodes, jumps).Hops
	for o := 1; o < nodes; o++ {
		at := o
		for i := 0; at != 0; i++ {
			hops := int32(0)
			for before := (at + nodes - jumps[i]) % nodes; dist[before] == dist[at]-1; before = (at + nodes - jumps[i]) % nodes {
				at = before
				hops++
			}
			if hops > 0 {
				r.Legs[o] = append(r.Legs[o], model.Leg{Stage: int32(i), Hops: hops})
			}
		}
	}
	return r
}
