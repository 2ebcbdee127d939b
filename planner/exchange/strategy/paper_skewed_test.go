package strategy

import (
	"reflect"
	"testing"

	"github.com/lightpath-net/lightpath/planner/exchange/model"
)

// For any order of requests, a sequence continued from a shorter one equals one made from
// scratch.
func TestSequencesGoOnFromShorterOnes(t *testing.T) {
	counts := make([][]int, 12)
	for u := range counts {
		counts[u] = make([]int, len(counts))
		for v := range counts[u] {
			counts[u][v] = 1 + (3*u+v)%5
		}
	}
	demand, err := model.Amounts(counts)
	if err != nil {
		t.Fatal(err)
	}
	for _, order := range [][]int{{1, 2, 3}, {3, 1, 2, 4}, {2, 2, 1}} {
		s, ok := newPaperSkewed(&Problem{Demand: demand, Ports: 2, Fluid: true}).(*paperSkewed)
		if !ok {
			t.Fatal("the demand does not differ")
		}
		for _, stages := range order {
			for base := range s.known {
				got, err := s.contracted(t.Context(), base, stages)
				if err != nil {
					t.Fatal(err)
				}
				want, err := s.even.contracted(t.Context(), base, stages)
				if err != nil {
					t.Fatal(err)
				}
				switch {
				case (got == nil) != (want == nil):
					t.Fatalf("%v: base %d with %d topologies: %v, want %v", order, base, stages, got, want)
				case got != nil && (!reflect.DeepEqual(got.Stages(), want.Stages()) || got.Slots() != want.Slots()):
					t.Errorf("%v: base %d with %d topologies is another sequence", order, base, stages)
				}
			}
		}
	}
}
