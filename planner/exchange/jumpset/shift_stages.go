package jumpset

import (
	"context"
	"slices"
)

// ShiftStages finds topologies of k jumps each in the paper's model: an offset takes the fewest
// hops that it has in one of them. It can produce any number of topologies, each chosen to
// lower the sum of hops most given those before. A topology takes O(k*n^2) at most.
type ShiftStages struct {
	nodes, ports int
	Stages       [][]int
	cover        []int32 // of Stages
	next         *shiftNext
}

func NewShiftStages(nodes, ports int) *ShiftStages {
	return &ShiftStages{nodes: nodes, ports: ports, cover: newDistances(nodes).Hops, next: newShiftNext(nodes)}
}

// Extend makes the sequence at least d long.
func (s *ShiftStages) Extend(ctx context.Context, d int) error {
	for len(s.Stages) < d {
		jumps, _, err := s.choose(ctx, s.cover, nil)
		if err != nil {
			return err
		}
		s.Stages = append(s.Stages, jumps)
		for o, h := range DistancesOf(s.nodes, jumps).Hops {
			s.cover[o] = min(s.cover[o], h)
		}
	}
	return nil
}

// coverOf returns the fewest hops of each offset in one of the stages.
func coverOf(nodes int, stages [][]int) []int32 {
	cover := newDistances(nodes).Hops
	for _, jumps := range stages {
		for o, h := range DistancesOf(nodes, jumps).Hops {
			cover[o] = min(cover[o], h)
		}
	}
	return cover
}

// covers is the cover of some stages with and without any one of them.
type covers struct {
	// hops has the fewest hops of each offset, and second the fewest without the stage that
	// gives those.
	hops, second []int32
	by           []int32 // that stage, the first of equals
}

func coversOf(ctx context.Context, nodes int, stages [][]int) (*covers, error) {
	c := &covers{hops: newDistances(nodes).Hops, second: newDistances(nodes).Hops, by: make([]int32, nodes)}
	for i, jumps := range stages {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for o, h := range DistancesOf(nodes, jumps).Hops {
			if h < c.hops[o] {
				c.hops[o], c.second[o], c.by[o] = h, c.hops[o], int32(i)
			} else if h < c.second[o] {
				c.second[o] = h
			}
		}
	}
	return c, nil
}

// without returns the cover of all stages but one.
func (c *covers) without(stage int) []int32 {
	cover := slices.Clone(c.hops)
	for o, by := range c.by {
		if int(by) == stage {
			cover[o] = c.second[o]
		}
	}
	return cover
}

// choose returns the jumps of a topology and the sum of hops with it. It starts from the given
// jumps, adds missing ones one after the other, and then exchanges single jumps for better ones
// until there are none.
func (s *ShiftStages) choose(ctx context.Context, cover []int32, start []int) (jumps []int, total int, err error) {
	jumps = slices.Clone(start)
	for len(jumps) < s.ports && ctx.Err() == nil {
		jump, _ := s.next.best(ctx, cover, DistancesOf(s.nodes, jumps).Hops, MaxTotal)
		jumps = append(jumps, jump)
	}
	total = totalCovered(cover, DistancesOf(s.nodes, jumps).Hops)
	quiet := 0 // jumps before p that are known to be the best given the others
	if len(start) < s.ports {
		quiet = 1 // the last
	}
	for p := 0; quiet < len(jumps) && ctx.Err() == nil; p = (p + 1) % len(jumps) {
		others := slices.Delete(slices.Clone(jumps), p, p+1)
		quiet++
		if jump, t := s.next.best(ctx, cover, DistancesOf(s.nodes, others).Hops, total); t < total {
			jumps[p], total, quiet = jump, t, 1
		}
	}
	return jumps, total, ctx.Err()
}

// Improve chooses single topologies of the first d again until none gets better. The last of
// them was chosen given the others, so it counts as tried as long as the others do not change.
func (s *ShiftStages) Improve(ctx context.Context, d int) ([][]int, error) {
	stages := slices.Clone(s.Stages[:d])
	all, err := coversOf(ctx, s.nodes, stages)
	if err != nil {
		return nil, err
	}
	total := totalCovered(all.hops, newDistances(s.nodes).Hops)
	for quiet, i := 1, 0; quiet < len(stages); i = (i + 1) % len(stages) {
		jumps, t, err := s.choose(ctx, all.without(i), stages[i])
		if err != nil {
			return nil, err
		}
		quiet++
		if t >= total {
			continue
		}
		stages[i], total, quiet = jumps, t, 1
		if all, err = coversOf(ctx, s.nodes, stages); err != nil {
			return nil, err
		}
	}
	return stages, nil
}
