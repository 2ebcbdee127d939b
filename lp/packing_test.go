package lp

import (
	"math"
	"slices"
	"testing"
)

// On linear programs with a known optimum, the dual values of the resources add up to the profit
// of the best plan.
func TestPackingFindsTheDualOptimum(t *testing.T) {
	for _, c := range []struct {
		b       []float64
		columns []Column
		want    []float64
	}{
		// max 3x+5y: x <= 4, 2y <= 12, 3x+2y <= 18 (optimum 36 at x=2, y=6)
		{[]float64{4, 12, 18}, []Column{
			{Weight: 3, Rows: []int32{0, 2}, Values: []float64{1, 3}},
			{Weight: 5, Rows: []int32{1, 2}, Values: []float64{2, 2}},
		}, []float64{0, 1.5, 1}},
		// Beale's example, on which the method cycles without a perturbation (optimum 1/20).
		{[]float64{0, 0, 1}, []Column{
			{Weight: 0.75, Rows: []int32{0, 1}, Values: []float64{0.25, 0.5}},
			{Weight: -150, Rows: []int32{0, 1}, Values: []float64{-60, -90}},
			{Weight: 0.02, Rows: []int32{0, 1, 2}, Values: []float64{-0.04, -0.02, 1}},
			{Weight: -6, Rows: []int32{0, 1}, Values: []float64{9, 3}},
		}, []float64{0, 1.5, 0.05}},
	} {
		p := NewPacking(c.b)
		for moved := true; moved; p.Settle() {
			moved = false
			for k := range c.columns {
				moved = p.Enter(&c.columns[k]) || moved
			}
		}
		if !slices.EqualFunc(p.Prices, c.want, func(a, b float64) bool { return math.Abs(a-b) < 1e-8 }) {
			t.Errorf("the prices are %v, want %v", p.Prices, c.want)
		}
	}
}
