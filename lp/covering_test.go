package lp

import (
	"math"
	"math/rand/v2"
	"testing"
)

// brute returns the least cost over all corners. A corner meets as many rows and axes with
// equality as there are variables.
func brute(cost []float64, rows [][]float64, need []float64) float64 {
	n := len(cost)
	var planes [][]float64 // coefficients, then the right-hand side
	for i, row := range rows {
		planes = append(planes, append(append([]float64(nil), row...), need[i]))
	}
	for j := range n {
		axis := make([]float64, n+1)
		axis[j] = 1
		planes = append(planes, axis)
	}
	best := math.Inf(1)
	var choose func(from int, chosen [][]float64)
	choose = func(from int, chosen [][]float64) {
		if len(chosen) == n {
			x, ok := gauss(chosen)
			if !ok {
				return
			}
			sum := 0.0
			for j := range x {
				if x[j] < -1e-9 {
					return
				}
				sum += cost[j] * x[j]
			}
			for i, row := range rows {
				left := -need[i]
				for j := range x {
					left += row[j] * x[j]
				}
				if left < -1e-9 {
					return
				}
			}
			best = min(best, sum)
			return
		}
		for i := from; i < len(planes); i++ {
			choose(i+1, append(chosen[:len(chosen):len(chosen)], planes[i]))
		}
	}
	choose(0, nil)
	return best
}

func gauss(rows [][]float64) ([]float64, bool) {
	n := len(rows)
	a := make([][]float64, n)
	for i := range a {
		a[i] = append([]float64(nil), rows[i]...)
	}
	for c := range n {
		p := c
		for i := c; i < n; i++ {
			if math.Abs(a[i][c]) > math.Abs(a[p][c]) {
				p = i
			}
		}
		if math.Abs(a[p][c]) < 1e-9 {
			return nil, false
		}
		a[c], a[p] = a[p], a[c]
		for i := range n {
			if i == c {
				continue
			}
			factor := a[i][c] / a[c][c]
			for j := c; j <= n; j++ {
				a[i][j] -= factor * a[c][j]
			}
		}
	}
	x := make([]float64, n)
	for i := range x {
		x[i] = a[i][n] / a[i][i]
	}
	return x, true
}

func TestTheSimplexMethodFindsTheBestCorner(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	solved, none := 0, 0
	for range 2000 {
		n, m := 1+random.IntN(4), 1+random.IntN(5)
		cost := make([]float64, n)
		for j := range cost {
			cost[j] = float64(random.IntN(4)) // zeros too, as those of y and z
		}
		rows, need := make([][]float64, m), make([]float64, m)
		p := NewCovering(cost)
		for i := range rows {
			rows[i] = make([]float64, n)
			var terms []Term
			for j := range rows[i] {
				rows[i][j] = float64(random.IntN(7) - 3)
				terms = append(terms, Term{j, rows[i][j]})
			}
			need[i] = float64(random.IntN(9) - 4)
			p.Add(need[i], terms...)
		}
		want := brute(cost, rows, need)
		x, ok := p.Solve()
		if !ok {
			if none++; !math.IsInf(want, 1) {
				t.Fatalf("no solution, but one costs %v: %v %v %v", want, cost, rows, need)
			}
			continue
		}
		solved++
		sum, bound := 0.0, 0.0
		for j := range x {
			sum += cost[j] * x[j]
		}
		for i, price := range p.Prices {
			bound += price * need[i]
			if price < -1e-9 {
				t.Fatalf("a price of %v", price)
			}
		}
		if math.Abs(sum-want) > 1e-6 || math.Abs(bound-want) > 1e-6 {
			t.Fatalf("cost %v, prices %v, the best corner %v: %v %v %v", sum, bound, want, cost, rows, need)
		}
	}
	if solved < 500 || none < 100 {
		t.Errorf("%d solved, %d without a solution: too few of one kind", solved, none)
	}
}
