package strategy

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/routing"
)

// A memory answers what a search finds, whatever the times, and the search runs once.
func TestMemoryAnswersWhatASearchFinds(t *testing.T) {
	memory := NewMemory()
	for _, ports := range []int{1, 2} {
		for _, duplex := range []bool{false, true} {
			for _, r := range []float64{0, 3, 50} {
				for _, name := range []string{Cayley, Paper} {
					p := Problem{Demand: uniformDemand(t, 12, 1), Ports: ports, Duplex: duplex, R: r, T: 1, Strategy: name}
					if duplex && name == Paper {
						continue // it has one-way circuits
					}
					want := solved(t, p)
					p.Memory = memory
					if got := solved(t, p); !reflect.DeepEqual(got, want) {
						t.Errorf("%s, %d ports, two-way %v, R %v: %d slots in %d stages, want %d in %d", name, ports, duplex, r, got.Slots(), len(got.Stages), want.Slots(), len(want.Stages))
					}
				}
			}
		}
	}
	if len(memory.words) == 0 || len(memory.curves) == 0 {
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

// Places that are remembered are those that a search finds, for the same demand, hops and start
// only. Callers may change them.
func TestMemoryAnswersWhereNodesAre(t *testing.T) {
	const n = 9
	memory, random := NewMemory(), rand.New(rand.NewPCG(4, 4))
	for range 3 {
		counts, hops := make([][]int, n), make([][]int, n)
		for u := range n {
			counts[u], hops[u] = make([]int, n), make([]int, n)
			for v := range n {
				counts[u][v], hops[u][v] = random.IntN(100), 1+random.IntN(4)
			}
		}
		demand, err := model.Amounts(counts)
		if err != nil {
			t.Fatal(err)
		}
		for _, start := range [][]int{random.Perm(n), random.Perm(n)} {
			want, err := routing.Relabel(t.Context(), demand, hops, start)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				got, err := memory.relabel(t.Context(), demand, hops, start)
				if err != nil || !slices.Equal(got, want) {
					t.Fatalf("%v, %v, want %v", got, err, want)
				}
				got[0], got[1] = got[1], got[0]
			}
		}
	}
	if len(memory.places) != 6 {
		t.Errorf("%d placements are remembered, want 6", len(memory.places))
	}
}
