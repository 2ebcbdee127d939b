package exchange

import (
	"context"
	"slices"
)

// shiftStages finds topologies of k jumps each in the paper's model: an offset takes the
// fewest hops that it has in one of them. It can be asked for ever more topologies, each
// chosen to lower the sum of hops most given those before. A topology takes O(k*n^2).
type shiftStages struct {
	nodes, ports int
	stages       [][]int
	trial        [2]*distances
}

func newShiftStages(nodes, ports int) *shiftStages {
	return &shiftStages{nodes: nodes, ports: ports, trial: [2]*distances{newDistances(nodes), newDistances(nodes)}}
}

// extend makes the sequence at least d long.
func (s *shiftStages) extend(ctx context.Context, d int) error {
	for len(s.stages) < d {
		jumps, _, err := s.choose(ctx, coverOf(s.nodes, s.stages, -1), nil)
		if err != nil {
			return err
		}
		s.stages = append(s.stages, jumps)
	}
	return nil
}

// coverOf returns the fewest hops of each offset in one of the stages, leaving one out.
func coverOf(nodes int, stages [][]int, without int) []int32 {
	cover := newDistances(nodes).hops
	for i, jumps := range stages {
		if i == without {
			continue
		}
		for o, h := range distancesOf(nodes, jumps).hops {
			cover[o] = min(cover[o], h)
		}
	}
	return cover
}

// choose returns the jumps of a topology and the sum of hops with it. It starts from the
// given ones, or chooses one after the other, and exchanges single jumps for better ones
// until none is.
func (s *shiftStages) choose(ctx context.Context, cover []int32, start []int) (jumps []int, total int, err error) {
	jumps = slices.Clone(start)
	for len(jumps) < s.ports && ctx.Err() == nil {
		jump, _ := s.best(cover, jumps, maxTotal)
		jumps = append(jumps, jump)
	}
	total = s.total(cover, distancesOf(s.nodes, jumps))
	for quiet, p := 0, 0; quiet < len(jumps) && ctx.Err() == nil; p = (p + 1) % len(jumps) {
		others := slices.Delete(slices.Clone(jumps), p, p+1)
		quiet++
		if jump, t := s.best(cover, others, total); t < total {
			jumps[p], total, quiet = jump, t, 0
		}
	}
	return jumps, total, ctx.Err()
}

// best returns the jump that is best to add to a topology, and the sum of hops with it.
func (s *shiftStages) best(cover []int32, jumps []int, limit int) (jump, total int) {
	base, trial := s.trial[0], s.trial[1]
	copy(base.hops, newDistances(s.nodes).hops)
	for _, j := range jumps {
		base.with(base, j)
	}
	total = limit
	for j := 1; j < s.nodes; j++ {
		trial.with(base, j)
		if t := s.total(cover, trial); t < total {
			jump, total = j, t
		}
	}
	return jump, total
}

// total returns the sum of hops with one more topology.
func (s *shiftStages) total(cover []int32, dist *distances) int {
	total := 0
	for o, h := range dist.hops {
		total += int(min(cover[o], h))
	}
	return total
}

// improve chooses single topologies again until none gets better.
func (s *shiftStages) improve(ctx context.Context, stages [][]int) ([][]int, error) {
	stages = slices.Clone(stages)
	total := maxTotal
	for quiet, i := 0, 0; quiet < len(stages); i = (i + 1) % len(stages) {
		jumps, t, err := s.choose(ctx, coverOf(s.nodes, stages, i), stages[i])
		if err != nil {
			return nil, err
		}
		quiet++
		if t < total {
			stages[i], total, quiet = jumps, t, 1
		}
	}
	return stages, nil
}

// shiftsPorts is the strategy shifts with several ports.
type shiftsPorts struct {
	uniform
	seq *shiftStages
}

func (s *shiftsPorts) draft(ctx context.Context, d, _ int) (*draft, error) {
	if err := s.seq.extend(ctx, d); err != nil {
		return nil, err
	}
	stages, err := s.seq.improve(ctx, s.seq.stages[:d])
	if err != nil {
		return nil, err
	}
	share := newStagedSharing(s.nodes, stages)
	share.settle()
	return s.routed(share.routing(s.ports)), nil
}
