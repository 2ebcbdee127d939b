package lp

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Rows that come one by one lead to the corner that the tableau finds, or to none.
func TestCornersOfGrowingPrograms(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 2))
	solved, none := 0, 0
	corner := NewCorner()
	for range 1000 {
		n := 1 + random.IntN(6)
		cost := make([]float64, n)
		for j := range cost {
			cost[j] = float64(1 + random.IntN(3))
		}
		corner.Reset(cost...)
		var rows [][]float64
		var needs []float64
		for range 1 + random.IntN(12) {
			row, need := make([]float64, n), float64(random.IntN(9)-2)
			all := NewCovering(cost)
			for j := range row {
				row[j] = float64(random.IntN(7) - 2)
			}
			rows, needs = append(rows, row), append(needs, need)
			for i, row := range rows {
				var terms []Term
				for j, v := range row {
					terms = append(terms, Term{j, v})
				}
				all.Add(needs[i], terms...)
			}
			x, ok := all.Solve()
			corner.Add(need, row...)
			if got := corner.Solve(); got != ok {
				t.Fatalf("solved: %v, by the tableau %v: %v %v %v", got, ok, cost, rows, needs)
			}
			if !ok {
				none++
				break
			}
			solved++
			want, got := 0.0, 0.0
			for j := range x {
				want += cost[j] * x[j]
				got += cost[j] * corner.X[j]
			}
			if math.Abs(got-want) > 1e-6 || math.Abs(corner.Least()-want) > 1e-6 {
				t.Fatalf("cost %v, prices say %v, by the tableau %v: %v %v %v", got, corner.Least(), want, cost, rows, needs)
			}
		}
	}
	if solved < 1000 || none < 100 {
		t.Errorf("%d solved, %d without a solution: too few of one kind", solved, none)
	}
}
