package strategy

import (
	"cmp"
	"context"
	"slices"

	"github.com/lightpath-net/lightpath/planner/exchange/model"
)

// directDuplex is the strategy direct where circuits are two-way: all nodes are paired, in
// as many ways as it takes to pair everyone with everyone once, as in a tournament. With k
// ports, pairings that take about equally long share a topology.
type directDuplex struct {
	skewed
	pairings [][]int // partner of each node, or -1
}

func newDirectDuplex(p *Problem) solver {
	s := &directDuplex{skewed: newAnyDemand(p, Direct, false)}
	for _, partner := range tournament(s.nodes) {
		if s.longest(partner) > 0 {
			s.pairings = append(s.pairings, partner)
		}
	}
	slices.SortStableFunc(s.pairings, func(a, b []int) int { return cmp.Compare(s.longest(b), s.longest(a)) })
	return s
}

// tournament returns pairings in which every two nodes meet once: node n-1 stays, the others
// go round (the circle method). With an odd number of nodes the one that would meet a node
// too many rests.
func tournament(nodes int) [][]int {
	even := nodes + nodes%2
	pairings := make([][]int, even-1)
	for r := range pairings {
		partner := slices.Repeat([]int{-1}, even)
		partner[even-1], partner[r] = r, even-1
		for i := 1; i < even/2; i++ {
			u, v := (r+i)%(even-1), (r-i+even-1)%(even-1)
			partner[u], partner[v] = v, u
		}
		pairings[r] = partner[:nodes]
		for u, v := range pairings[r] {
			if v >= nodes {
				pairings[r][u] = -1
			}
		}
	}
	return pairings
}

// longest returns the largest demand that a pairing serves.
func (s *directDuplex) longest(partner []int) int {
	most := 0
	for u, v := range partner {
		if v >= 0 {
			most = max(most, s.demand.Count(u, v))
		}
	}
	return most
}

func (s *directDuplex) limit() int { return model.CeilDiv(len(s.pairings), s.ports) }

func (s *directDuplex) worth() []int { return []int{s.limit()} }

func (s *directDuplex) draft(_ context.Context, d, _ int) (*draft, error) {
	if d != s.limit() {
		return nil, nil
	}
	slots := 0
	for group := range slices.Chunk(s.pairings, s.ports) {
		slots += s.longest(group[0])
	}
	return &draft{strategy: s.name, stages: d, slots: slots, build: func(ctx context.Context) (*model.Schedule, error) {
		out := &model.Schedule{Nodes: s.nodes, Ports: s.ports, Strategy: s.name}
		for group := range slices.Chunk(s.pairings, s.ports) {
			out.Stages = append(out.Stages, directStage(s.demand, group))
		}
		return out, ctx.Err()
	}}, nil
}

// directStage sends what the circuits of a stage connect.
func directStage(demand model.Demand, circuits [][]int) model.Stage {
	st := model.Stage{Circuits: circuits}
	for p, next := range circuits {
		for u, v := range next {
			if v < 0 {
				continue
			}
			count := demand.Count(u, v)
			for k := range count {
				st.Runs = append(st.Runs, model.Run{Chunk: model.Chunk{Origin: int32(u), Dest: int32(v), Index: int32(k)}, From: int32(u), Port: int32(p), Slot: int32(k), Hops: 1})
			}
			st.Slots = max(st.Slots, count)
		}
	}
	st.SortRuns()
	return st
}
