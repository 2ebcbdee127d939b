package strategy

import (
	"reflect"
	"testing"
)

// A memory answers what a search finds, whatever the times, and the search runs once.
func TestMemoryAnswersWhatASearchFinds(t *testing.T) {
	memory := NewMemory()
	for _, ports := range []int{1, 2} {
		for _, duplex := range []bool{false, true} {
			for _, r := range []float64{0, 3, 50} {
				p := Problem{Demand: uniformDemand(t, 12, 1), Ports: ports, Duplex: duplex, R: r, T: 1, Strategy: Cayley}
				want := solved(t, p)
				p.Memory = memory
				if got := solved(t, p); !reflect.DeepEqual(got, want) {
					t.Errorf("%d ports, two-way %v, R %v: %d slots in %d stages, want %d in %d", ports, duplex, r, got.Slots(), len(got.Stages), want.Slots(), len(want.Stages))
				}
			}
		}
	}
	if len(memory.words) == 0 {
		t.Error("nothing is remembered")
	}
	never := func(int) bool { return false }
	for c := range memory.words {
		if _, err := memory.ways(c, never, nil); err != nil { // nil would panic if it were called
			t.Error(err)
		}
	}
}

// A result that was left out because it was not worth its slots is searched for again when it
// is.
func TestMemoryAsksAgainForWhatWasLeftOut(t *testing.T) {
	p := Problem{Demand: uniformDemand(t, 24, 1), Ports: 2, T: 1, Strategy: Cayley, Memory: NewMemory()}
	s, ok := newCayley(&p).(*cayley)
	if !ok {
		t.Fatal("no search for words")
	}
	const stages = 3
	want, err := s.find(t.Context(), stages, func(int) bool { return true })
	if err != nil || want.ways == nil {
		t.Fatal(want, err)
	}
	slots := s.slots(want.ways)
	for _, most := range []int{0, s.floor(stages), slots, 2 * slots, slots - 1} {
		worth := func(slots int) bool { return slots <= most }
		got, err := s.routingIf(t.Context(), stages, worth)
		if err != nil {
			t.Fatal(err)
		}
		if most >= slots && !reflect.DeepEqual(got, want.ways) {
			t.Errorf("up to %d slots: other ways than those of %d", most, slots)
		}
		if got != nil && s.slots(got) < slots {
			t.Errorf("up to %d slots: %d, and all searches had %d", most, s.slots(got), slots)
		}
	}
}
