package lp

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// packed returns the optimum of a packing program: the value of its resources at the dual prices.
func packed(b []float64, columns []Column) float64 {
	p := NewPacking(b)
	p.Optimise(columns)
	sum := 0.0
	for i, price := range p.Prices {
		sum += price * b[i]
	}
	return sum
}

// A Balance is a Packing in disguise: the largest factor by which all amounts can be multiplied
// within the capacities is one over its peak.
func TestBalanceIsThePackingOfTheLargestFactor(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 28))
	for round := range 200 {
		rows, amounts := 1+rng.IntN(6), 1+rng.IntN(5)
		capacity, amount := make([]float64, rows), make([]float64, amounts)
		for i := range capacity {
			capacity[i] = float64(1 + rng.IntN(3))
		}
		for i := range amount {
			amount[i] = 1 + rng.Float64()
		}
		draw := func(number int) Column {
			c := Column{Number: number, Weight: float64(rng.IntN(4))}
			for e := range rows {
				if rng.IntN(2) == 0 {
					c.Add(e, float64(1+rng.IntN(2)))
				}
			}
			if len(c.Rows) == 0 {
				c.Add(rng.IntN(rows), 1)
			}
			return c
		}
		var columns []Column
		for i := range amount {
			columns = append(columns, draw(i))
		}
		m := NewBalance(capacity, amount, slices.Clone(columns))
		for range rng.IntN(12) {
			c := draw(rng.IntN(amounts))
			columns = append(columns, c)
			m.Add(c)
		}
		if done, err := m.Optimise(t.Context(), 10000); !done || err != nil {
			t.Fatalf("round %d: %v, %v", round, done, err)
		}
		factor := Column{Number: len(columns), Weight: 1}
		var packing []Column
		for i, a := range amount {
			factor.Add(rows+i, a)
		}
		for k, c := range columns {
			p := Column{Number: k, Rows: slices.Clone(c.Rows), Values: slices.Clone(c.Values)}
			p.Add(rows+c.Number, -1)
			packing = append(packing, p)
		}
		want := 1 / packed(append(slices.Clone(capacity), make([]float64, amounts)...), append(packing, factor))
		peak := m.CleanPeak()
		if math.Abs(peak-want) > 1e-6*want {
			t.Errorf("round %d: the peak is %v, want %v", round, peak, want)
		}
		m.ByWeight()
		if done, err := m.Optimise(t.Context(), 20000); !done || err != nil {
			t.Fatalf("round %d: %v, %v", round, done, err)
		}
		m.RemovePerturbation(peak)
		checkDivision(t, m.Values(), columns, capacity, amount, peak)
	}
}

// checkDivision checks that values divide every amount and load no row above the peak.
func checkDivision(t *testing.T, values []float64, columns []Column, capacity, amount []float64, peak float64) {
	t.Helper()
	load, got := make([]float64, len(capacity)), make([]float64, len(amount))
	for k, x := range values {
		got[columns[k].Number] += x
		for i, e := range columns[k].Rows {
			load[e] += x * columns[k].Values[i]
		}
		if x < -1e-9 {
			t.Errorf("column %d takes %v", k, x)
		}
	}
	for i, a := range amount {
		if math.Abs(got[i]-a) > 1e-8 {
			t.Errorf("amount %d: %v of %v", i, got[i], a)
		}
	}
	for e, l := range load {
		if l > capacity[e]*peak*(1+1e-8) {
			t.Errorf("row %d carries %v of %v", e, l, capacity[e]*peak)
		}
	}
}

// The dual of a Covering is a Packing: both have the same optimum.
func TestCoveringIsTheDualOfPacking(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 28))
	for round := range 300 {
		n, m := 1+rng.IntN(6), 1+rng.IntN(6)
		cost := make([]float64, n)
		for j := range cost {
			cost[j] = rng.Float64()
		}
		p := NewCovering(cost)
		var columns []Column
		for i := range m {
			need := rng.Float64()
			c := Column{Number: i, Weight: need}
			var terms []Term
			for j := range n {
				if v := float64(rng.IntN(4)); v > 0 {
					terms = append(terms, Term{j, v})
					c.Add(j, v)
				}
			}
			if len(terms) == 0 { // else nothing meets the need
				terms = append(terms, Term{0, 1})
				c.Add(0, 1)
			}
			p.Add(need, terms...)
			columns = append(columns, c)
		}
		x, ok := p.Solve()
		if !ok {
			t.Fatalf("round %d: no solution", round)
		}
		got := 0.0
		for j := range x {
			got += cost[j] * x[j]
		}
		if want := packed(cost, columns); math.Abs(got-want) > 1e-7 {
			t.Errorf("round %d: %v, its dual %v", round, got, want)
		}
	}
}
