package strategy

import (
	"cmp"
	"context"
	"slices"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/routing"
)

// directDuplex is the strategy direct for two-way circuits. It makes as many pairings of all
// nodes as it takes for every two nodes to meet once, as in a tournament. With k ports,
// pairings that take about equally long share a topology.
type directDuplex struct {
	skewed
	pairings [][]int // partner of each node, or -1
	each     int     // demand of every pair, or 0 if pairs differ
}

// mostPaired is the largest number of nodes for which pairings are listed. There are as many
// pairings as nodes, and with more nodes they would take over 2 GB.
const mostPaired = 1 << 14

func newDirectDuplex(p *Problem) solver {
	s := &directDuplex{skewed: newAnyDemand(p, Direct, false)}
	if s.nodes > mostPaired {
		return nil
	}
	if s.each, _ = s.demand.Each(); s.each > 0 {
		return s
	}
	for _, partner := range tournament(s.nodes) {
		if s.longest(partner) > 0 {
			s.pairings = append(s.pairings, partner)
		}
	}
	slices.SortStableFunc(s.pairings, func(a, b []int) int { return cmp.Compare(s.longest(b), s.longest(a)) })
	return s
}

// tournament returns pairings in which every two nodes meet once: node n-1 stays, the others go
// round (the circle method). With an odd number of nodes, the node that would meet the extra
// one rests.
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

func (s *directDuplex) limit() int {
	if s.each > 0 {
		return arithmetic.CeilDiv(s.nodes-1+s.nodes%2, s.ports)
	}
	return arithmetic.CeilDiv(len(s.pairings), s.ports)
}

func (s *directDuplex) worth() []int { return []int{s.limit()} }

func (s *directDuplex) candidates(ctx context.Context, d int, worth func(slots int) bool, visit visitor) error {
	if d != s.limit() {
		return nil
	}
	if s.each > 0 {
		if !worth(d * s.each) {
			return nil
		}
		s.pairings = tournament(s.nodes)
	}
	slots := 0
	f := &routing.Flows{Nodes: s.nodes, Ports: s.ports}
	for group := range slices.Chunk(s.pairings, s.ports) {
		slots += s.longest(group[0])
		f.Stages = append(f.Stages, group)
	}
	if !worth(slots) {
		return nil
	}
	return s.direct(ctx, f, visit)
}

// direct shows the flows over stages in which every pair that has something to send is
// connected once, if no circuit has failed.
func (s *skewed) direct(ctx context.Context, f *routing.Flows, visit visitor) error {
	if s.faults.Any() {
		return nil
	}
	for i, circuits := range f.Stages {
		for p, next := range circuits {
			for u, v := range next {
				if v < 0 || s.demand.Count(u, v) == 0 {
					continue
				}
				hop := model.Leg{Stage: int32(i), Port: int32(p*s.nodes + u), Hops: 1}
				f.Parts = append(f.Parts, routing.Part{Src: int32(u), Dst: int32(v), Amount: s.demand.Count(u, v), Hops: []model.Leg{hop}})
			}
		}
	}
	f.Sort()
	c, err := s.flowing(ctx, f)
	if err != nil {
		return err
	}
	return visitOne(visit, c)
}
