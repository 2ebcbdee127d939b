package strategy

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/planner/exchange/model"
)

// birkhoff is the strategy of FAST (Lei et al., 2025) on circuits: the demand is divided
// into matchings by flow.BestSlots, for the ratio of R and T, and every k of them make a
// topology, those of like duration together. No chunk makes more than one hop. There is one
// number of topologies.
type birkhoff struct {
	skewed
	delay float64
	slots []flow.Slot // once divided
	fault error
}

func newBirkhoff(p *Problem) solver {
	s, ok := newSkewed(p, Birkhoff, false)
	if !ok {
		return nil
	}
	b := &birkhoff{skewed: s, delay: p.R / p.T}
	b.divide()
	return b
}

func (s *birkhoff) divide() {
	demand := make([][]float64, s.nodes)
	for u := range demand {
		demand[u] = make([]float64, s.nodes)
		for v := range demand[u] {
			demand[u][v] = float64(s.demand.Count(u, v))
		}
	}
	s.slots, s.fault = flow.BestSlots(demand, s.delay)
	slices.SortStableFunc(s.slots, func(a, b flow.Slot) int { return cmp.Compare(b.Duration, a.Duration) })
}

func (s *birkhoff) limit() int { return max(1, model.CeilDiv(len(s.slots), s.ports)) }

func (s *birkhoff) worth() []int { return []int{s.limit()} }

func (s *birkhoff) draft(_ context.Context, d, _ int) (*draft, error) {
	if s.fault != nil || d != s.limit() {
		return nil, s.fault
	}
	out := &model.Schedule{Nodes: s.nodes, Ports: s.ports, Strategy: s.name}
	sent := make([]int, s.nodes*s.nodes) // chunks of each pair so far
	for group := range slices.Chunk(s.slots, s.ports) {
		var st model.Stage
		for p, slot := range group {
			st.Circuits = append(st.Circuits, slot.Match)
			for u, v := range slot.Match {
				if v < 0 {
					continue
				}
				count := int(math.Round(slot.Sent[u]))
				for k := range count {
					c := model.Chunk{Origin: int32(u), Dest: int32(v), Index: int32(sent[u*s.nodes+v])}
					st.Runs = append(st.Runs, model.Run{Chunk: c, From: int32(u), Port: int32(p), Slot: int32(k), Hops: 1})
					sent[u*s.nodes+v]++
				}
				st.Slots = max(st.Slots, count)
			}
		}
		st.SortRuns()
		out.Stages = append(out.Stages, st)
	}
	return scheduled(out), nil
}
