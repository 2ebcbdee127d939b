package strategy

import (
	"reflect"
	"testing"
)

// What a memory answers is what a search finds, whatever the times, and it is asked for once.
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
	for c := range memory.words {
		if _, err := memory.ways(c, nil); err != nil { // nil would panic if it were called
			t.Error(err)
		}
	}
}
