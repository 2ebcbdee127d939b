package lp

import (
	"math/rand/v2"
	"testing"
)

// Flat columns give the same products as the columns, to the last bit.
func TestFlatColumnsAreTheColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 37))
	vector := make([]float64, 40)
	var flat flatColumns
	var cols []Column
	for round := range 20 {
		for range rng.IntN(5) {
			c := Column{Number: rng.IntN(7)}
			for e := range vector {
				if rng.IntN(6) == 0 {
					c.Add(e, float64(1+rng.IntN(3)))
				}
			}
			cols = append(cols, c)
			flat.add(&c)
		}
		for e := range vector {
			vector[e] = rng.NormFloat64()
		}
		dots := flat.dots(vector)
		if len(dots) != len(cols) {
			t.Fatalf("round %d: %d products of %d columns", round, len(dots), len(cols))
		}
		for k := range cols {
			if dots[k] != cols[k].dot(vector) || int(flat.number[k]) != cols[k].Number {
				t.Errorf("round %d, column %d of amount %d: %v of amount %d, want %v", round, k, cols[k].Number, dots[k], flat.number[k], cols[k].dot(vector))
			}
		}
	}
}
