package jumpset

import (
	"context"
	"slices"
)

// ShiftStages finds topologies of k jumps each in the paper's model: an offset takes the
// fewest hops that it has in one of them. It can be asked for ever more topologies, each
// chosen to lower the sum of hops most given those before. A topology takes O(k*n^2).
type ShiftStages struct {
	nodes, ports int
	Stages       [][]int
	trial        [2]*Distances
}

func NewShiftStages(nodes, ports int) *ShiftStages {
	return &ShiftStages{nodes: nodes, ports: ports, trial: [2]*Distances{newDistances(nodes), newDistances(nodes)}}
}

// Extend makes the sequence at least d long.
func (s *ShiftStages) Extend(ctx context.Context, d int) error {
	for len(s.Stages) < d {
		jumps, _, err := s.choose(ctx, coverOf(s.nodes, s.Stages, -1), nil)
		if err != nil {
			return err
		}
		s.Stages = append(s.Stages, jumps)
	}
	return nil
}

// coverOf returns the fewest hops of each offset in one of the stages, leaving one out.
func coverOf(nodes int, stages [][]int, without int) []int32 {
	cover := newDistances(nodes).Hops
	for i, jumps := range stages {
		if i == without {
			continue
		}
		for o, h := range DistancesOf(nodes, jumps).Hops {
			cover[o] = min(cover[o], h)
		}
	}
	return cover
}

// choose returns the jumps of a topology and the sum of hops with it. It starts from the
// given ones, or chooses one after the other, and exchanges single jumps for better ones
// until none is.
func (s *ShiftStages) choose(ctx context.Context, cover []int32, start []int) (jumps []int, total int, err error) {
	jumps = slices.Clone(start)
	for len(jumps) < s.ports && ctx.Err() == nil {
		jump, _ := s.best(cover, jumps, MaxTotal)
		jumps = append(jumps, jump)
	}
	total = s.total(cover, DistancesOf(s.nodes, jumps))
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
func (s *ShiftStages) best(cover []int32, jumps []int, limit int) (jump, total int) {
	base, trial := s.trial[0], s.trial[1]
	copy(base.Hops, newDistances(s.nodes).Hops)
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
func (s *ShiftStages) total(cover []int32, dist *Distances) int {
	total := 0
	for o, h := range dist.Hops {
		total += int(min(cover[o], h))
	}
	return total
}

// Improve chooses single topologies again until none gets better.
func (s *ShiftStages) Improve(ctx context.Context, stages [][]int) ([][]int, error) {
	stages = slices.Clone(stages)
	total := MaxTotal
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
