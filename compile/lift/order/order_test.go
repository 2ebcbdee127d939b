package order

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// relaxed is Levels by relaxation, over and over.
func relaxed(n int, constraints []Constraint) []int32 {
	level := make([]int32, n)
	for range n + 1 {
		changed := false
		for _, c := range constraints {
			if reach := level[c.First] + c.Plus; reach > level[c.Then] {
				level[c.Then], changed = reach, true
			}
		}
		if !changed {
			return level
		}
	}
	return nil
}

// Levels are those of relaxation, with cycles of length 0 and without, and there are none exactly
// if a cycle is longer.
func TestLevelsEqualRelaxation(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 8))
	cyclic := 0
	for range 2000 {
		n := 1 + random.IntN(12)
		constraints := make([]Constraint, random.IntN(3*n))
		for i := range constraints {
			plus := int32(0)
			if random.IntN(4) == 0 {
				plus = 1
			}
			constraints[i] = Constraint{int32(random.IntN(n)), int32(random.IntN(n)), plus}
		}
		got, ok := Levels(n, constraints)
		want := relaxed(n, constraints)
		if want == nil {
			cyclic++
		}
		if (want != nil) != ok || ok && !slices.Equal(got, want) {
			t.Fatalf("%d items, %v: %v, %v; want %v", n, constraints, got, ok, want)
		}
	}
	if cyclic < 100 || cyclic > 1900 {
		t.Errorf("%d of 2000 have a long cycle", cyclic)
	}
}
