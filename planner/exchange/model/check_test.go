package model

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// uniformDemand is Uniform for numbers that are known to be right.
func uniformDemand(t testing.TB, n, each int) Demand {
	t.Helper()
	d, err := Uniform(n, each)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// ring3 is three nodes on a ring, which takes the chunks for the second neighbour first.
func ring3() *Schedule {
	return &Schedule{Nodes: 3, Ports: 1, Group: Rotations(3), Stages: []Stage{{
		Generators: []int{1},
		Slots:      3,
		Runs: []Run{
			{Chunk: Chunk{Dest: 2}, From: 0, Port: 0, Slot: 0, Hops: 2},
			{Chunk: Chunk{Dest: 1}, From: 0, Port: 0, Slot: 2, Hops: 1},
		},
	}}}
}

func TestCheckAcceptsARing(t *testing.T) {
	demand := uniformDemand(t, 3, 1)
	if err := ring3().Check(demand); err != nil {
		t.Error(err)
	}
	if err := ring3().Expand().Check(demand); err != nil {
		t.Error(err)
	}
}

// TestCheckFindsWhatIsWrong breaks a schedule in one place at a time, once in the symmetric
// and once in the explicit form.
func TestCheckFindsWhatIsWrong(t *testing.T) {
	run := func(s *Schedule, i int) *Run { return &s.Stages[0].Runs[i] }
	for _, c := range []struct {
		name                string
		change              func(s *Schedule)
		symmetric, explicit string // parts of the errors; "" if the change does not apply
	}{
		{"two chunks on a circuit", func(s *Schedule) {
			for i := range s.Stages[0].Runs {
				run(s, i).Slot = min(run(s, i).Slot, 1)
			}
		}, "port 0 is taken until slot 2", "carries another chunk"},
		{"moves before it arrives", func(s *Schedule) {
			s.Stages[0].Runs = []Run{{Chunk: Chunk{Dest: 2}, From: 0, Port: 0, Slot: 0, Hops: 2}, {Chunk: Chunk{Dest: 2}, From: 1, Port: 0, Slot: 1, Hops: 1}}
		}, "is on its way until slot 2", "is on its way until slot 2"},
		{"moves from where it is not", func(s *Schedule) { run(s, 0).From = 1 }, "leaves node 1, but is at 0", "leaves node 1, but is at 0"},
		{"too few hops", func(s *Schedule) { run(s, 0).Hops = 1 }, "ends at 1", "ends at 1"},
		{"no hops", func(s *Schedule) { run(s, 0).Hops = 0 }, "0 hops in a stage of 3 slots", "0 hops in a stage of 3 slots"},
		{"more slots than the stage has", func(s *Schedule) { s.Stages[0].Slots = 2 }, "hops in a stage of 2 slots", "hops in a stage of 2 slots"},
		{"slots out of order", func(s *Schedule) { slices.Reverse(s.Stages[0].Runs) }, "comes after slot", "comes after slot 2"},
		{"before the first slot", func(s *Schedule) { run(s, 0).Slot = -1 }, "comes after slot 0", "comes after slot 0"},
		{"no such port", func(s *Schedule) { run(s, 0).Port = 1 }, "port 1, want 0 to 0", "port 1, want 0 to 0"},
		{"negative port", func(s *Schedule) { run(s, 0).Port = -1 }, "port -1, want 0 to 0", "port -1, want 0 to 0"},
		{"no such destination", func(s *Schedule) { run(s, 0).Dest = 3 }, "no such pair", "no such pair"},
		{"no such origin", func(s *Schedule) { run(s, 0).Origin = -1 }, "no such pair", "no such pair"},
		{"no such chunk", func(s *Schedule) { run(s, 0).Index = 1 }, "the pair has 1", "the pair has 1"},
		{"chunk for its own node", func(s *Schedule) { run(s, 0).Dest = 0 }, "the pair has 0", "the pair has 0"},
		{"negative slots", func(s *Schedule) { s.Stages[0].Slots = -1 }, "-1 slots", "-1 slots"},
		{"too many slots", func(s *Schedule) { s.Stages[0].Slots = 1 << 40 }, "slots, want 0 to", "slots, want 0 to"},
		{"other nodes", func(s *Schedule) { s.Nodes = 4 }, "for 4 nodes, the demand for 3", "for 4 nodes, the demand for 3"},
		{"no ports", func(s *Schedule) { s.Ports = 0 }, "0 ports", "0 ports"},
		{"more generators than ports", func(s *Schedule) { s.Stages[0].Generators = []int{1, 2} }, "2 generators, want at most 1", "no generators"},
		{"generator that stays", func(s *Schedule) { s.Stages[0].Generators = []int{3} }, "generator 3, want 1 to 2", "no generators"},
		{"circuits beside generators", func(s *Schedule) { s.Stages[0].Circuits = [][]int{{1, 2, 0}, {2, 0, 1}} }, "no other circuits", "circuits of 2 ports"},
		{"not a group", func(s *Schedule) { s.Group = Group{M: 3, Q: 2, R: 1} }, "a group of 3x2 elements, want 3", "a group of 3x2"},
		{"not a twist", func(s *Schedule) { s.Group = Group{M: 3, Q: 1, R: 2} }, "twist 2", "twist 2"},
		{"chunk of another node", func(s *Schedule) { run(s, 0).Origin = 1 }, "no such pair", ""},
		{"two circuits into a node", func(s *Schedule) { s.Stages[0].Circuits = [][]int{{1, 1, 0}} }, "", "circuit from 1 to 1"},
		{"circuit to nowhere", func(s *Schedule) { s.Stages[0].Circuits = [][]int{{1, 2, 3}} }, "", "circuit from 2 to 3"},
		{"missing circuit", func(s *Schedule) { s.Stages[0].Circuits = [][]int{{1, -1, 0}} }, "", "port 0 of node 1 has no circuit"},
		{"too few circuits", func(s *Schedule) { s.Stages[0].Circuits = [][]int{{1, 0}} }, "", "2 nodes, want 3"},
	} {
		for form, want := range map[string]string{"symmetric": c.symmetric, "explicit": c.explicit} {
			if want == "" {
				continue
			}
			s := ring3()
			if form == "explicit" {
				s = s.Expand()
			}
			c.change(s)
			if err := s.Check(uniformDemand(t, 3, 1)); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), want) {
				t.Errorf("%s, %s: %v, want %s", c.name, form, err, want)
			}
		}
	}
	skew, err := Counts([][]int{{0, 1, 1}, {1, 0, 1}, {1, 2, 0}})
	if err != nil {
		t.Fatal(err)
	}
	if err := ring3().Check(skew); err == nil || !strings.Contains(err.Error(), "pairs differ") {
		t.Errorf("%v, want that pairs differ", err)
	}
	if err := ring3().Expand().Check(skew); err == nil || !strings.Contains(err.Error(), "chunk 1 of 2 for 1 ends at 2") {
		t.Errorf("%v, want the missing chunk", err)
	}
}

// TestMovesStopsWhenAsked: the consumer may leave.
func TestMovesStopsWhenAsked(t *testing.T) {
	for slot := range ring3().Moves(0) {
		if slot == 1 {
			return
		}
	}
	t.Error("never saw slot 1")
}
