package strategy

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/planner/exchange/model"
)

// TestCheckSurvivesAnything changes numbers at random: no panic, and if the check passes,
// what it proves holds for the expanded schedule as well.
func TestCheckSurvivesAnything(t *testing.T) {
	demand := uniformDemand(t, 6, 1)
	random := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		s := solved(t, Problem{Demand: demand, Ports: 2, R: 1, T: 1, Stages: 2, Strategy: Relay})
		explicit := random.IntN(2) == 0
		if explicit {
			s = s.Expand()
		}
		for range 1 + random.IntN(2) {
			mutate(s, random)
		}
		err := s.Check(demand)
		if wide := s.Symmetric() && err == nil; wide {
			if err := s.Expand().Check(demand); err != nil {
				t.Fatalf("symmetric form passes, explicit form: %v", err)
			}
		}
	}
}

// mutate changes one number.
func mutate(s *model.Schedule, random *rand.Rand) {
	st := &s.Stages[random.IntN(len(s.Stages))]
	r := &st.Runs[random.IntN(len(st.Runs))]
	value := int32(random.IntN(9) - 1)
	switch random.IntN(9) {
	case 0:
		r.From = value
	case 1:
		r.Port = value
	case 2:
		r.Slot = value
	case 3:
		r.Hops = value
	case 4:
		r.Origin = value
	case 5:
		r.Dest = value
	case 6:
		r.Index = value
	case 7:
		st.Slots = int(value)
	case 8:
		if len(st.Generators) > 0 {
			st.Generators = slices.Clone(st.Generators)
			st.Generators[0] = int(value)
		} else {
			st.Circuits[0][0] = int(value)
		}
	}
}

// TestMovesFollowTheRuns adds up what Moves yields.
func TestMovesFollowTheRuns(t *testing.T) {
	demand := uniformDemand(t, 12, 1)
	for _, p := range []Problem{
		{Demand: demand, Ports: 1, R: 1, T: 1, Stages: 3, Strategy: Relay},
		{Demand: demand, Ports: 2, R: 1, T: 1, Stages: 2, Strategy: Cayley},
		{Demand: demand, Ports: 2, R: 1, T: 1, Stages: 2, Strategy: Paper},
	} {
		for _, s := range []*model.Schedule{solved(t, p), solved(t, p).Expand()} {
			at := make(map[model.Chunk]int)
			for i := range s.Stages {
				slots := 0
				for slot, moves := range s.Moves(i) {
					if slot != slots {
						t.Fatalf("slot %d after %d slots", slot, slots)
					}
					slots++
					taken := make(map[[2]int]bool)
					for _, m := range moves {
						if from, ok := at[m.Chunk]; m.Src != from && (ok || m.Src != int(m.Origin)) {
							t.Fatalf("%s: chunk %v leaves %d, is at %d", s.Strategy, m.Chunk, m.Src, from)
						}
						if s.Graph(i).Count(m.Src, m.Dst) == 0 {
							t.Fatalf("%s: no circuit from %d to %d", s.Strategy, m.Src, m.Dst)
						}
						circuit := [2]int{m.Port, m.Src}
						if s.Symmetric() {
							circuit[1] = 0
						}
						if taken[circuit] {
							t.Fatalf("%s: circuit %v twice in slot %d", s.Strategy, circuit, slot)
						}
						taken[circuit] = true
						at[m.Chunk] = m.Dst
					}
				}
				if slots != s.Stages[i].Slots {
					t.Errorf("%s: %d slots, want %d", s.Strategy, slots, s.Stages[i].Slots)
				}
			}
			for c, v := range at {
				if v != int(c.Dest) {
					t.Errorf("%s: chunk %v ends at %d", s.Strategy, c, v)
				}
			}
			want := 11
			if !s.Symmetric() {
				want = 12 * 11
			}
			if len(at) != want {
				t.Errorf("%s: %d chunks moved, want %d", s.Strategy, len(at), want)
			}
		}
	}
}
