package strategy

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/internal/permutations"
	"github.com/lightpath-net/lightpath/planner/exchange/jumpset"
	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/strategy/powers"
)

// TestMotivatingExample is section 2.3: 8 nodes, 1 port, one chunk per pair, R = 7T.
func TestMotivatingExample(t *testing.T) {
	demand := uniformDemand(t, 8, 1)
	for _, c := range []struct {
		name     string
		strategy string
		stages   int
		cost     float64
		sum      string
	}{
		{"never reconfigure (Figure 4)", Paper, 1, 35, "A = P1 + P1^2 + P1^3 + P1^4 + P1^5 + P1^6 + P1^7"},
		{"always reconfigure (Figure 5)", Direct, 0, 56, "A = P1 + P2 + P3 + P4 + P5 + P6 + P7"},
		{"the paper's (Figure 3)", Paper, 0, 30, "A = P1 + P1^2 + P1^3 + P1^4 + P2 + P2^2 + P2^3"},
		{"chunks that wait", Relay, 0, 28, ""},
		{"the best of all", Auto, 0, 28, ""},
	} {
		s := solved(t, Problem{Demand: demand, Ports: 1, R: 7, T: 1, Strategy: c.strategy, Stages: c.stages})
		if got := s.Cost(7, 1); got != c.cost {
			t.Errorf("%s: %vT, want %vT", c.name, got, c.cost)
		}
		d := s.Decompose()
		if err := d.Check(demand); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if c.sum != "" && d.String() != c.sum {
			t.Errorf("%s: %s, want %s", c.name, d, c.sum)
		}
	}
	// 28T is the least for any schedule, whatever the number of topologies.
	least := math.Inf(1)
	for d := 1; d <= 7; d++ {
		bound, err := model.RelayBound(8, 1, d)
		if err != nil {
			t.Fatal(err)
		}
		least = min(least, model.Cost(d, bound, 7, 1))
	}
	if least != 28 {
		t.Errorf("no schedule takes less than %vT, want 28T", least)
	}
}

// TestTheorem1NeedsFlowsWithinOneTopology: the text states the bound for any strategy. It
// holds for those that keep a flow within one topology, as the paper's rounds do; chunks
// that wait for the next topology beat it.
func TestTheorem1NeedsFlowsWithinOneTopology(t *testing.T) {
	theorem, err := model.LoadBound(8, 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	s := solved(t, Problem{Demand: uniformDemand(t, 8, 1), Ports: 1, R: 1, T: 1, Stages: 2, Strategy: Relay})
	if theorem != 16 || s.Slots() != 14 {
		t.Errorf("Theorem 1 %d, relay %d, want 16 and 14", theorem, s.Slots())
	}
}

// TestThreeShiftExampleTakes20Slots: section 4.3 keeps rounds 1, 2, 4, 5 of the ring and 1,
// 2, 5 of its 3-shift and gives 19T for them. The rounds add up to 20T.
func TestThreeShiftExampleTakes20Slots(t *testing.T) {
	jumps := []int{1, 3}
	cover := jumpset.Covered(8, jumps)
	rounds := [2][]int32{}
	for o := 1; o < 8; o++ {
		rounds[cover.By[o]] = append(rounds[cover.By[o]], cover.Hops[o])
	}
	sum := int32(0)
	kept := [2]map[int32]bool{{1: true, 2: true, 4: true, 5: true}, {1: true, 2: true, 5: true}}
	for i, list := range rounds {
		for _, h := range list {
			if !kept[i][h] {
				t.Errorf("topology %d keeps round %d", i, h)
			}
			sum += h
		}
	}
	s := cover.Ways(jumps).Schedule(Shifts, 1)
	if err := s.Check(uniformDemand(t, 8, 1)); err != nil {
		t.Error(err)
	}
	if sum != 20 || s.Slots() != 20 || cover.Total != 20 {
		t.Errorf("rounds add up to %d, schedule takes %d, want 20", sum, s.Slots())
	}
}

// figure8c is the schedule of Figure 8c for node 1 (here 0): jumps 6 and 5 on 8 nodes, the
// path of offset 4 over 6 and 5 in round 3, both paths of three hops in round 4.
func figure8c() *model.Schedule {
	round := func(slot int, ways ...[]int32) []model.Run {
		var runs []model.Run
		for h := range 3 {
			for _, way := range ways {
				at, to := 0, 0
				for i, p := range way {
					jump := 6 - int(p)
					to += jump
					if i < h {
						at += jump
					}
				}
				if h < len(way) {
					runs = append(runs, model.Run{Chunk: model.Chunk{Dest: int32(to % 8)}, From: int32(at % 8), Port: way[h], Slot: int32(slot + h), Hops: 1})
				}
			}
		}
		return runs
	}
	st := model.Stage{Generators: []int{6, 5}, Slots: 8}
	st.Runs = append(st.Runs, round(0, []int32{0}, []int32{1})...)
	st.Runs = append(st.Runs, round(1, []int32{0, 0}, []int32{1, 1})...)
	st.Runs = append(st.Runs, round(3, []int32{0, 1})...)
	st.Runs = append(st.Runs, round(5, []int32{0, 0, 1}, []int32{1, 1, 1})...)
	return &model.Schedule{Nodes: 8, Ports: 2, Group: model.Rotations(8), Stages: []model.Stage{st}}
}

// TestFigure8cContends: the two paths of the last round use the same circuits in its last
// slot (1-7-5-2 goes over 5-2, and 6-3-8-5 over 8-5, both the jump of 5). The eight slots
// themselves are enough if chunks do not move in rounds; in rounds it takes nine, with the
// ways of 5 and 7 in one of three slots.
func TestFigure8cContends(t *testing.T) {
	demand := uniformDemand(t, 8, 1)
	err := figure8c().Check(demand)
	if err == nil || !strings.Contains(err.Error(), "slot 7") || !strings.Contains(err.Error(), "port 1 is taken") {
		t.Errorf("%v, want that port 1 is taken in slot 7", err)
	}
	share := jumpset.NewStagedSharing(8, [][]int{{6, 5}})
	if err := share.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := share.Ways(2).Schedule(Shifts, 1)
	if err := s.Check(demand); err != nil || s.Slots() != 8 {
		t.Errorf("%d slots, %v, want 8", s.Slots(), err)
	}
	rounds := solved(t, Problem{Demand: demand, Ports: 2, R: 1, T: 1, Stages: 1, Strategy: Paper})
	if rounds.Slots() != 9 {
		t.Errorf("in rounds %d slots, want 1+2+3+3", rounds.Slots())
	}
}

// TestExactAttainsTheorem1UpTo6Nodes and shows where it cannot be attained: with 7 nodes, and
// with the paper's 8 nodes (section 3.2) and 3 topologies, one slot more is needed.
func TestExactAttainsTheorem1UpTo6Nodes(t *testing.T) {
	missed := map[[2]int]int{{7, 3}: 10, {8, 3}: 13}
	for n := 2; n <= 8; n++ {
		for d := 1; d < n; d++ {
			demand := uniformDemand(t, n, 1)
			s := solved(t, Problem{Demand: demand, Ports: 1, R: 1, T: 1, Stages: d, Strategy: Exact})
			want := model.LoadHops(n, 1, d)
			if more, ok := missed[[2]int{n, d}]; ok {
				want = more
			}
			if s.Slots() != want {
				t.Errorf("n=%d d=%d: %d slots, want %d", n, d, s.Slots(), want)
			}
			if err := s.Decompose().Check(demand); err != nil {
				t.Error(err)
			}
		}
	}
	// Four permutations of 8 nodes that are not shifts attain a bound that no shifts attain.
	curve, err := Curve(context.Background(), Problem{Demand: uniformDemand(t, 8, 1), Ports: 1, Strategy: Shifts}, 4)
	if err != nil || curve[3].Slots != 11 {
		t.Errorf("%v, %v: want 11 slots with 4 shifts", curve, err)
	}
}

// TestBoundOf12ForEightNodesAndThreeTopologies closes the gap between rounds and slots. In
// slots, too, attaining 12 means that every node has its 7 destinations at hops 1, 2 and 3
// of one topology and 1, 2 of the others, no circuit ever idle. Cycles have 3 nodes or more,
// since hop 2 must not return, so that their lengths are 8, 5+3 or 4+4. On a cycle of length
// c, m chunks of three hops load its circuits evenly only if c divides 3m, so that m is 0 or
// c; it is 0 for c = 3, where hop 3 returns. Loads are equal on all cycles of a topology. So
// a topology gives its third hop to all nodes or to none, which is a decomposition into whole
// powers. The complete search finds none; here it is repeated by brute force.
func TestBoundOf12ForEightNodesAndThreeTopologies(t *testing.T) {
	for _, c := range []struct {
		n      int
		powers []int
		exists bool
	}{
		{7, []int{2, 2, 2}, false},
		{8, []int{3, 2, 2}, false},
		{8, []int{2, 2, 2, 1}, true},
	} {
		if got := bruteForcePowers(c.n, c.powers); got != c.exists {
			t.Errorf("n=%d powers %v: exists %v, want %v", c.n, c.powers, got, c.exists)
		}
		sets := make([]uint64, len(c.powers))
		for i, q := range c.powers {
			sets[i] = 1<<(q+1) - 2
		}
		next, err := powers.Whole(context.Background(), c.n, sets)
		if err != nil || (next != nil) != c.exists {
			t.Errorf("n=%d powers %v: search finds %v, %v", c.n, c.powers, next, err)
		}
	}
}

// bruteForcePowers reports whether there are permutations P_i such that the powers 1 to q_i of
// all of them take every node to every other once. It represents permutations as masks of
// pairs.
func bruteForcePowers(n int, powers []int) bool {
	masks := make(map[int][]uint64)
	for _, q := range powers {
		if masks[q] != nil {
			continue
		}
		for p := range permutations.Of(n) {
			if m, ok := powerMask(p, q); ok {
				masks[q] = append(masks[q], m)
			}
		}
	}
	var find func(i int, used uint64, from int) bool
	find = func(i int, used uint64, from int) bool {
		if i == len(powers) {
			return true
		}
		list := masks[powers[i]]
		if i == 0 || powers[i] != powers[i-1] {
			from = 0
		}
		for k := from; k < len(list); k++ {
			if list[k]&used == 0 && find(i+1, used|list[k], k+1) {
				return true
			}
		}
		return false
	}
	return find(0, 0, 0)
}

// powerMask returns the pairs of the first q powers, and false if one repeats.
func powerMask(p []int, q int) (mask uint64, ok bool) {
	for u := range p {
		v := u
		for range q {
			v = p[v]
			bit := uint64(1) << (u*len(p) + v)
			if v == u || mask&bit != 0 {
				return 0, false
			}
			mask |= bit
		}
	}
	return mask, true
}
