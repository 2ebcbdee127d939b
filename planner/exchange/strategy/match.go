package strategy

import (
	"context"
	"slices"

	"github.com/lightpath-net/lightpath/flow"
)

// match is the strategy for demands that differ much: some topologies are those of relay,
// which reach everything, and the others connect directly what would make the most hops
// there. Each of them is a matching of the largest sum of hops saved (flow.Assign), for
// every port. All are routed together, so that a circuit of a matching also carries what
// is not its own. Of d topologies 1, half or all but one are such; the best is taken.
type match struct{ placedRelay }

func newMatch(p *Problem) solver {
	s, ok := newSkewed(p, Match, true)
	if !ok {
		return nil
	}
	return &match{placedRelay: placedRelay{skewed: s, even: evenRelay(s.nodes, s.ports).routing}}
}

func (s *match) draft(ctx context.Context, d, below int) (*draft, error) {
	var best *draft
	for _, direct := range slices.Compact([]int{1, d / 2, d - 1}) {
		if direct < 1 || direct >= d {
			continue
		}
		stages, hops, err := s.topologies(ctx, d-direct)
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
		found, err := s.routed(ctx, stages, below)
		if err != nil {
			return nil, err
		}
		if found != nil && found.slots < below {
			best, below = found, found.slots
		}
	}
	return best, nil
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

// heaviest returns a topology that saves the most, and takes what it saves away.
func (s *match) heaviest(saved [][]float64) ([][]int, error) {
	var circuits [][]int
	for range s.ports {
		cost := make([][]float64, s.nodes)
		for u := range cost {
			cost[u] = make([]float64, s.nodes)
			for v := range cost[u] {
				cost[u][v] = -saved[u][v]
			}
		}
		a, err := flow.Assign(cost)
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
