package strategy

import (
	"context"
	"slices"

	"github.com/lightpath-net/lightpath/flow/matching"
)

// match is the strategy for very uneven demands. Some topologies are those of relay, which
// reach all nodes. The others directly connect the pairs that would make the most hops there:
// for every port they have the matching that saves the most hops (matching.Assign). All
// topologies are routed together, so that a circuit of a matching also carries chunks of other
// pairs. Of d topologies, 1, half, all but one or all are such matchings; with many nodes, half
// or all.
type match struct{ placedRelay }

func newMatch(p *Problem) solver {
	s, ok := newSkewed(p, Match, true)
	if !ok {
		return nil
	}
	return &match{placedRelay: *newPlacedRelay(p, s)}
}

func (s *match) candidates(ctx context.Context, d int, worth func(slots int) bool, visit visitor) error {
	if s.duplex {
		return nil // a matching is not two-way
	}
	for _, direct := range s.mixtures(d) {
		if direct < 1 || direct > d {
			continue
		}
		for try := range s.tries() {
			if direct == d && try > 0 {
				break // there are no places to try
			}
			stages, err := s.mixed(ctx, d-direct, direct, try)
			if err != nil {
				return err
			}
			if err := s.routed(ctx, stages, worth, visit); err != nil {
				return err
			}
		}
	}
	return nil
}

// mixtures lists how many of d topologies are to connect the heaviest pairs directly.
func (s *match) mixtures(d int) []int {
	if s.nodes > denseNodes {
		return slices.Compact([]int{d / 2, d})
	}
	return slices.Compact([]int{1, d / 2, d - 1, d})
}

// mixed returns topologies of relay followed by direct ones.
func (s *match) mixed(ctx context.Context, relay, direct, try int) ([][][]int, error) {
	stages, hops, err := s.some(ctx, relay, try)
	if err != nil {
		return nil, err
	}
	saved := s.savings(hops)
	for range direct {
		circuits, err := s.heaviest(saved)
		if err != nil {
			return nil, err
		}
		stages = append(stages, circuits)
	}
	return stages, nil
}

// some returns the topologies of relay and the hops over them. With no topology, every pair
// counts as two hops.
func (s *match) some(ctx context.Context, d, try int) (stages [][][]int, hops [][]int, err error) {
	if d > 0 {
		return s.topologies(ctx, d, try)
	}
	hops = make([][]int, s.nodes)
	for u := range hops {
		hops[u] = slices.Repeat([]int{2}, s.nodes)
	}
	return nil, hops, nil
}

// savings returns the hops that a circuit between two nodes saves.
func (s *match) savings(hops [][]int) [][]float64 {
	saved := make([][]float64, s.nodes)
	for u := range saved {
		saved[u] = make([]float64, s.nodes)
		for v := range saved[u] {
			saved[u][v] = float64(s.demand.Count(u, v) * max(hops[u][v]-1, 0))
		}
	}
	return saved
}

// heaviest returns a topology that saves the most hops, and sets what it saves to 0 in saved.
func (s *match) heaviest(saved [][]float64) ([][]int, error) {
	var circuits [][]int
	for range s.ports {
		cost := make([][]float64, s.nodes)
		for u := range cost {
			cost[u] = make([]float64, s.nodes)
			for v := range cost[u] {
				if cost[u][v] = -saved[u][v]; s.faults.Links[[2]int{u, v}] {
					cost[u][v] = 0
				}
			}
		}
		a, err := matching.Assign(cost)
		if err != nil {
			return nil, err
		}
		next := a.Columns
		for u, v := range next {
			saved[u][v] = 0
			if u == v {
				next[u] = -1
			}
		}
		circuits = append(circuits, next)
	}
	return circuits, nil
}
