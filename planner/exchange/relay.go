package exchange

import (
	"context"
	"slices"
)

// relaySequence finds jumps whose directed circulant graph has a small sum of
// distances, each the best given those before. It can be asked for ever more jumps.
// A jump takes O(n^2). The first is 1, which is no loss if any jump is prime to n.
type relaySequence struct {
	jumps []int
	dist  *distances
	next  *nextJump
}

func newRelaySequence(nodes int) *relaySequence {
	s := &relaySequence{dist: newDistances(nodes), next: newNextJump(nodes)}
	s.take(1)
	return s
}

// extend makes the sequence at least d long, d < nodes. Once all offsets are at most 2
// hops away, a jump that is new lowers the sum by 1 and nothing could lower it more:
// RelayBound is attained from there on.
func (s *relaySequence) extend(ctx context.Context, d int) error {
	for len(s.jumps) < d {
		if err := ctx.Err(); err != nil {
			return err
		}
		jump := 0
		if slices.Max(s.dist.hops) <= 2 {
			jump = slices.Index(s.dist.hops, 2)
		} else {
			jump, _ = s.next.best(s.dist, maxTotal)
		}
		s.take(jump)
	}
	return nil
}

func (s *relaySequence) take(jump int) {
	s.dist.with(s.dist, jump)
	s.jumps = append(s.jumps, jump)
}

// swapRelay exchanges single jumps for better ones until no exchange lowers the sum of
// distances, or the bound is reached. Looking at all d jumps once takes O(d*n^2 + d^2*n).
func swapRelay(ctx context.Context, nodes int, jumps []int) ([]int, error) {
	jumps = slices.Clone(jumps)
	total := distancesOf(nodes, jumps).total
	floor := relayHops(nodes, 1, len(jumps))
	next := newNextJump(nodes)
	for quiet, i := 0, 0; quiet < len(jumps) && total > floor; i = (i + 1) % len(jumps) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		others := slices.Delete(slices.Clone(jumps), i, i+1)
		jump, less := next.best(distancesOf(nodes, others), total)
		if jump == 0 {
			quiet++
			continue
		}
		quiet, total = 0, less
		jumps[i] = jump
	}
	return jumps, nil
}

// relay is the strategy of the best jumps that are found when chunks may use several
// topologies: with k ports, the d*k jumps that are best for one port, divided among d
// stages.
type relay struct {
	uniform
	seq *relaySequence
}

func newRelay(p *Problem) solver {
	u, ok := newUniform(p, Relay, relayHops)
	if !ok {
		return newRelaySkewed(p)
	}
	return &relay{u, newRelaySequence(u.nodes)}
}

func (s *relay) draft(ctx context.Context, d, _ int) (*draft, error) {
	r, err := s.routing(ctx, d)
	if err != nil {
		return nil, err
	}
	return s.routed(r), nil
}

// routing returns the ways over the jumps that are found for d stages.
func (s *relay) routing(ctx context.Context, d int) (*routing, error) {
	count := min(d*s.ports, s.nodes-1)
	if err := s.seq.extend(ctx, count); err != nil {
		return nil, err
	}
	jumps, err := swapRelay(ctx, s.nodes, s.seq.jumps[:count])
	if err != nil {
		return nil, err
	}
	if s.ports == 1 {
		return relayed(s.nodes, jumps), nil
	}
	share := newSharing(s.nodes, jumps)
	share.divide(s.ports)
	return share.routing(s.ports), nil
}

// relayed returns a routing over shortest ways with one stage for every jump. Once a
// jump is not the last of any shortest way to an offset, it is on none of the ways to
// offsets before it either, since jumps may change places; so that one pass over the
// jumps finds a way. It takes O(total + n*d).
func relayed(nodes int, jumps []int) *routing {
	r := &routing{group: Rotations(nodes), ports: 1, legs: make([][]leg, nodes)}
	for _, j := range jumps {
		r.generators = append(r.generators, []int{j})
	}
	dist := distancesOf(nodes, jumps).hops
	for o := 1; o < nodes; o++ {
		at := o
		for i := 0; at != 0; i++ {
			hops := int32(0)
			for before := (at + nodes - jumps[i]) % nodes; dist[before] == dist[at]-1; before = (at + nodes - jumps[i]) % nodes {
				at = before
				hops++
			}
			if hops > 0 {
				r.legs[o] = append(r.legs[o], leg{stage: int32(i), hops: hops})
			}
		}
	}
	return r
}
