package strategy

import (
	"reflect"
	"testing"
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
