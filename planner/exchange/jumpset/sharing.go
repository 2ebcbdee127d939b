package jumpset

import (
	"cmp"
	"context"
	"slices"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/routing"
)

// maxWays is the largest number of shortest ways of an offset that are considered.
const maxWays = 32

// Sharing divides jumps among stages of k ports and chooses one of the shortest ways of every
// offset, so that the jumps of a stage have about equal loads: a stage takes as many slots as
// its largest load. Loads of different stages may differ, so jumps with similar loads belong in
// one stage.
type Sharing struct {
	jumps  []int
	ways   [][][]int32 // of each offset: jumps by position, ascending
	chosen []int       // way of each offset
	load   []int       // of each jump
	stage  []int       // of each jump
	most   []int       // largest load of each stage
	raised []int       // stages that price has raised
}

// NewSharing finds the routes over a set of jumps in the rotations of n nodes.
func NewSharing(n int, jumps []int) *Sharing {
	s := &Sharing{jumps: jumps, ways: make([][][]int32, n), chosen: make([]int, n), load: make([]int, len(jumps))}
	dist := DistancesOf(n, jumps).Hops
	for o := 1; o < n; o++ {
		s.ways[o] = ShortestWays(nil, jumps, dist, o, 0)
		s.add(o, 1)
	}
	return s
}

// askEvery is the number of offsets or jumps tried between two checks of the context: each
// takes O(n) at most.
const askEvery = 64

// NewStagedSharing finds the routes over given stages, each route within a single stage.
func NewStagedSharing(n int, stages [][]int) *Sharing {
	s := &Sharing{ways: make([][][]int32, n), chosen: make([]int, n), most: make([]int, len(stages))}
	cover := coverOf(n, stages)
	for i, jumps := range stages {
		dist := DistancesOf(n, jumps).Hops
		for o := 1; o < n; o++ {
			if dist[o] == cover[o] {
				s.ways[o] = ShortestWays(s.ways[o], jumps, dist, o, len(s.jumps))
			}
		}
		s.jumps = append(s.jumps, jumps...)
		s.stage = append(s.stage, slices.Repeat([]int{i}, len(jumps))...)
	}
	s.load = make([]int, len(s.jumps))
	for o := 1; o < n; o++ {
		s.add(o, 1)
	}
	s.measure()
	return s
}

// ShortestWays appends ways to an offset in lexical order, until there are maxWays. Jumps
// are numbered from first on.
func ShortestWays(ways [][]int32, jumps []int, dist []int32, o, first int) [][]int32 {
	var way []int32
	var follow func(at, from int)
	follow = func(at, from int) {
		if at == 0 {
			ways = append(ways, slices.Clone(way))
			return
		}
		for i := from; i < len(jumps) && len(ways) < maxWays; i++ {
			before := at - jumps[i]
			if before < 0 {
				before += len(dist)
			}
			if dist[before] == dist[at]-1 {
				way = append(way, int32(first+i))
				follow(before, i)
				way = way[:len(way)-1]
			}
		}
	}
	follow(o, 0)
	return ways
}

// add adds the way of an offset to the loads or, with times -1, removes it.
func (s *Sharing) add(o, times int) {
	for _, i := range s.ways[o][s.chosen[o]] {
		s.load[i] += times
	}
}

// Divide finds stages for k ports, and ways.
func (s *Sharing) Divide(ctx context.Context, k int) error {
	s.stage = make([]int, len(s.jumps)) // all in one: only squares count
	s.most = []int{len(s.ways) * len(s.ways)}
	err := s.Settle(ctx)
	for slots := MaxTotal; err == nil && s.slots() < slots; {
		slots = s.slots()
		s.group(k)
		err = s.Settle(ctx)
	}
	return err
}

// slots returns the sum of the largest loads.
func (s *Sharing) slots() int {
	return arithmetic.Sum(s.most)
}

// group puts jumps with neighbouring loads into one stage.
func (s *Sharing) group(k int) {
	order := make([]int, len(s.jumps))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return s.load[b] - s.load[a] })
	s.most = make([]int, arithmetic.CeilDiv(len(order), k))
	for at, i := range order {
		s.stage[i] = at / k
	}
	s.measure()
}

// measure finds the largest load of each stage.
func (s *Sharing) measure() {
	clear(s.most)
	for i, load := range s.load {
		s.most[s.stage[i]] = max(s.most[s.stage[i]], load)
	}
}

// Settle lets offsets choose again until none can lower the sum of the largest loads or,
// at the same sum, the sum of squares of all loads. Both fall with every change.
func (s *Sharing) Settle(ctx context.Context) error {
	for changed := true; changed; {
		changed = false
		for o := 1; o < len(s.ways); o++ {
			if o%askEvery == 1 && ctx.Err() != nil {
				return ctx.Err()
			}
			changed = len(s.ways[o]) > 1 && s.choose(o) || changed
		}
	}
	return nil
}

// choose takes the best way of an offset, and reports whether it is a new one.
func (s *Sharing) choose(o int) bool {
	old := s.chosen[o]
	s.add(o, -1)
	if len(s.most) > 1 {
		s.measure()
	}
	slots, squares := s.price(s.ways[o][old])
	for w, way := range s.ways[o] {
		if a, b := s.price(way); a < slots || a == slots && b < squares {
			s.chosen[o], slots, squares = w, a, b
		}
	}
	s.add(o, 1)
	return s.chosen[o] != old
}

// price returns by how much a way raises the sum of the largest loads and the sum of
// squares.
func (s *Sharing) price(way []int32) (slots, squares int) {
	s.raised = s.raised[:0]
	for _, i := range way {
		s.load[i]++
		squares += 2*s.load[i] - 1
		if stage := s.stage[i]; s.load[i] > s.most[stage] {
			s.most[stage]++
			s.raised = append(s.raised, stage)
		}
	}
	for _, i := range way {
		s.load[i]--
	}
	for _, stage := range s.raised {
		s.most[stage]--
	}
	return len(s.raised), squares
}

// Ways returns the routing with the stages and ways that were found.
func (s *Sharing) Ways(k int) *routing.Ways {
	n := len(s.ways)
	r := &routing.Ways{Group: model.Rotations(n), Ports: k, Generators: make([][]int, len(s.most)), Legs: make([][]model.Leg, n)}
	port := make([]int32, len(s.jumps))
	for i, j := range s.jumps {
		st := s.stage[i]
		port[i] = int32(len(r.Generators[st]))
		r.Generators[st] = append(r.Generators[st], j)
	}
	for o := 1; o < n; o++ {
		for _, i := range s.ways[o][s.chosen[o]] {
			r.Legs[o] = append(r.Legs[o], model.Leg{Stage: int32(s.stage[i]), Port: port[i], Hops: 1})
		}
		r.Legs[o] = joined(r.Legs[o])
	}
	return r
}

// joined sorts legs of single hops and merges those over the same jump.
func joined(legs []model.Leg) []model.Leg {
	slices.SortFunc(legs, func(a, b model.Leg) int {
		return cmp.Or(cmp.Compare(a.Stage, b.Stage), cmp.Compare(a.Port, b.Port))
	})
	out := legs[:0]
	for _, l := range legs {
		if last := len(out) - 1; last >= 0 && out[last].Stage == l.Stage && out[last].Port == l.Port {
			out[last].Hops += l.Hops
		} else {
			out = append(out, l)
		}
	}
	return out
}
