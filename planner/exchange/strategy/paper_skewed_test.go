package strategy

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/lightpath-net/lightpath/planner/exchange/model"
)

// For any order of requests, a sequence continued from a shorter one equals one made from
// scratch.
func TestSequencesGoOnFromShorterOnes(t *testing.T) {
	for _, order := range [][]int{{1, 2, 3}, {3, 1, 2, 4}, {2, 2, 1}} {
		for base := range bases {
			keeping, dropping := newSequence(12, 2, base), newSequence(12, 2, base)
			dropping.keeps = false
			for _, stages := range order {
				want, err := newSequence(12, 2, base).of(t.Context(), stages)
				if err != nil {
					t.Fatal(err)
				}
				for _, s := range []*sequence{keeping, dropping} {
					got, err := s.of(t.Context(), stages)
					if err != nil {
						t.Fatal(err)
					}
					switch {
					case (got == nil) != (want == nil):
						t.Fatalf("%v: base %d with %d topologies: %v, want %v", order, base, stages, got, want)
					case got != nil && (!reflect.DeepEqual(got.Stages(), want.Stages()) || got.Slots() != want.Slots()):
						t.Errorf("%v: base %d with %d topologies is another sequence", order, base, stages)
					case got != nil && !reflect.DeepEqual(got.Symmetric(2), want.Symmetric(2)):
						t.Errorf("%v: base %d with %d topologies has other ways", order, base, stages)
					}
				}
			}
		}
	}
}

// Wherever nodes are placed, no paths with the given hops need fewer slots than the bound.
func TestHopsBoundSlotsOfAnyPlaces(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	tight := 0.0
	for _, ports := range []int{1, 2, 3} {
		counts := make([][]int, 14)
		for u := range counts {
			counts[u] = make([]int, len(counts))
			for v := range counts[u] {
				if u != v {
					counts[u][v] = rng.IntN(50) * rng.IntN(50)
				}
			}
		}
		demand, err := model.Amounts(counts)
		if err != nil {
			t.Fatal(err)
		}
		s, ok := newPaperSkewed(&Problem{Demand: demand, Ports: ports, Fluid: true}).(*paperSkewed)
		if !ok {
			t.Fatal("the demand does not differ")
		}
		for d := range 5 {
			bound, last := 0, 0 // worth is asked about the bound, and then about the slots
			worth := func(slots int) bool {
				bound, last = last, slots
				return true
			}
			err := s.candidates(t.Context(), d+1, worth, func(c *Candidate) error {
				if bound > c.Slots {
					t.Errorf("%d ports, %d topologies: bound %d, slots %d", ports, d+1, bound, c.Slots)
				}
				tight = max(tight, float64(bound)/float64(c.Slots))
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if tight < 0.5 {
		t.Errorf("bounds reach only %.2f of the slots", tight)
	}
}
