package strategy

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/flow/matching"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/planner/exchange/jumpset"
	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/routing"
)

// birkhoff is the strategy of FAST (Lei et al., 2025) on circuits: the demand is divided into
// matchings (matching.EachDivision), and every k matchings of similar duration make a topology.
// No chunk makes more than one hop. Divisions have different numbers of matchings; which
// division is best depends on what a topology costs.
type birkhoff struct {
	skewed
	divisions [][]matching.Slot // in ascending order of their numbers, as far as they were worth it
	tried     int               // stages up to which divisions are known
}

func newBirkhoff(p *Problem) solver {
	s, ok := newSkewed(p, Birkhoff, false)
	if !ok || p.Faults.Any() {
		return nil
	}
	return &birkhoff{skewed: s}
}

// limit is the number of topologies that any division can need: there are at most
// n*(n-1) matchings.
func (s *birkhoff) limit() int { return arithmetic.CeilDiv(s.nodes*(s.nodes-1), s.ports) }

// worth begins with the number of topologies in which the node with the most peers can meet
// them all.
func (s *birkhoff) worth() []int {
	out, in := make([]int, s.nodes), make([]int, s.nodes)
	most := 0
	for u := range s.nodes {
		for v := range s.nodes {
			if s.demand.Count(u, v) > 0 {
				out[u]++
				in[v]++
				most = max(most, out[u], in[v])
			}
		}
	}
	return jumpset.UpTo(s.limit())[arithmetic.CeilDiv(most, s.ports)-1:]
}

// floor is the bound of the busiest node: durations add up to at least what it sends or
// receives.
func (s *birkhoff) floor(int) int { return s.skewed.floor(s.skewed.limit()) }

func (s *birkhoff) candidates(ctx context.Context, d int, worth func(slots int) bool, visit visitor) error {
	if err := s.divide(ctx, d); err != nil {
		return err
	}
	for _, slots := range s.divisions {
		if arithmetic.CeilDiv(len(slots), s.ports) != d {
			continue
		}
		c, err := s.flowing(ctx, s.flows(slots))
		if err != nil {
			return err
		}
		if c != nil && worth(c.Slots) {
			if err := visit(c); err != nil {
				return err
			}
		}
	}
	return nil
}

// divide finds the divisions with up to d topologies, and some with more.
func (s *birkhoff) divide(ctx context.Context, d int) error {
	if d <= s.tried {
		return nil
	}
	// Twice as many as requested, so that few calls find all.
	s.tried = min(max(2*d, 8), s.limit())
	s.divisions = s.divisions[:0]
	demand := make([][]float64, s.nodes)
	for u := range demand {
		demand[u] = make([]float64, s.nodes)
		for v := range demand[u] {
			demand[u][v] = float64(s.demand.Count(u, v))
		}
	}
	few := func(slots int) bool { return arithmetic.CeilDiv(slots, s.ports) <= s.tried }
	return matching.EachDivision(ctx, demand, few, func(slots []matching.Slot) error {
		slots = slices.Clone(slots)
		slices.SortStableFunc(slots, func(a, b matching.Slot) int { return cmp.Compare(b.Duration, a.Duration) })
		s.divisions = append(s.divisions, slots)
		return nil
	})
}

// flows returns a division as flows. The amount of a pair in a matching is rounded to whole
// units, and the last of its matchings has the rest.
func (s *birkhoff) flows(slots []matching.Slot) *routing.Flows {
	f := &routing.Flows{Nodes: s.nodes, Ports: s.ports}
	left := make([]int, s.nodes*s.nodes)
	last := make([]int, s.nodes*s.nodes)
	for i, slot := range slots {
		for u, v := range slot.Match {
			if v >= 0 {
				left[u*s.nodes+v], last[u*s.nodes+v] = s.demand.Count(u, v), i
			}
		}
	}
	for i, slot := range slots {
		stage, p := i/s.ports, i%s.ports
		if p == 0 {
			f.Stages = append(f.Stages, nil)
		}
		f.Stages[stage] = append(f.Stages[stage], slot.Match)
		for u, v := range slot.Match {
			if v < 0 {
				continue
			}
			amount := min(int(math.Round(slot.Sent[u])), left[u*s.nodes+v])
			if last[u*s.nodes+v] == i {
				amount = left[u*s.nodes+v]
			}
			if left[u*s.nodes+v] -= amount; amount > 0 {
				hop := model.Leg{Stage: int32(stage), Port: int32(p*s.nodes + u), Hops: 1}
				f.Parts = append(f.Parts, routing.Part{Src: int32(u), Dst: int32(v), Amount: amount, Hops: []model.Leg{hop}})
			}
		}
	}
	f.Sort()
	return f
}
