package lp

import (
	"math"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
)

// Covering is a linear program: the least cost*x with rows*x >= need and x >= 0, where no cost
// is negative. It is solved by the dual simplex method on a dense tableau (Lemke, Naval
// Research Logistics Quarterly 1, 1954). Because no cost is negative, the slacks are a dual
// feasible basis, so there is no first phase. A pivot takes rows*columns.
//
// The row that falls shortest leaves, and among columns with the same ratio the first enters.
// After slowPivots pivots the first row that falls short leaves instead, which cannot cycle
// (Bland's rule for the dual) except through rounding. After mostPivots the search gives up.
type Covering struct {
	Prices []float64 // of the rows, once solved
	Pivots int       // number of pivots made
	// GivenUp says that there may be a solution that was not found.
	GivenUp bool

	columns int
	cost    []float64
	rows    [][]float64 // of the tableau: columns, then the right-hand side
	basis   []int       // by row: the column, or columns + row for a slack
	filled  []int       // scratch: nonzero columns of a row
}

// These are the tolerances of the tableau, whose data are near 1: a smaller shortfall counts as
// met, and a pivot must be larger.
const (
	shortTolerance = 1e-11
	pivotTolerance = 1e-9
)

// slowPivots is the number of pivots per row and column before Bland's rule applies, and
// mostPivots the number after which the search gives up.
const (
	slowPivots = 20
	mostPivots = 60
)

// NewCovering returns a program without rows. No cost may be negative.
func NewCovering(cost []float64) *Covering { return &Covering{columns: len(cost), cost: cost} }

// Term is a coefficient of a row.
type Term struct {
	Column int
	Value  float64
}

// Add adds the row with sum of terms >= need. Terms of the same column add up.
func (p *Covering) Add(need float64, terms ...Term) {
	row := make([]float64, p.columns+1)
	for _, t := range terms {
		row[t.Column] -= t.Value // slack = row*x - need, kept as slack - row*x = -need
	}
	row[p.columns] = -need
	p.rows = append(p.rows, row)
}

// Solve returns the optimal x, or false if there is none or the search gave up.
func (p *Covering) Solve() ([]float64, bool) {
	n, m := p.columns, len(p.rows)
	// Columns 0..n-1 are the nonbasic variables: x at first. names[j] is the variable of column j;
	// a pivot swaps it with that of a row.
	names := arithmetic.UpTo(n)
	p.basis = make([]int, m)
	for i := range p.basis {
		p.basis[i] = n + i
	}
	reduced := append([]float64(nil), p.cost...)
	for ; ; p.Pivots++ {
		out := p.short(p.Pivots > slowPivots*(n+m))
		if out < 0 {
			break
		}
		in := enter(p.rows[out], reduced, names)
		if p.GivenUp = p.Pivots > mostPivots*(n+m); in < 0 || p.GivenUp {
			return nil, false
		}
		p.pivot(out, in, reduced)
		p.basis[out], names[in] = names[in], p.basis[out]
	}
	x := make([]float64, n)
	for i, b := range p.basis {
		if b < n {
			x[b] = max(0, p.rows[i][n])
		}
	}
	p.Prices = make([]float64, m)
	for j, name := range names {
		if name >= n {
			p.Prices[name-n] = reduced[j]
		}
	}
	return x, true
}

// short returns the row that leaves the basis, -1 if all are met.
func (p *Covering) short(bland bool) int {
	out, worst := -1, -shortTolerance
	for i, row := range p.rows {
		value := row[p.columns]
		if value >= worst {
			continue
		}
		if bland {
			if value < -shortTolerance && (out < 0 || p.basis[i] < p.basis[out]) {
				out = i
			}
			continue
		}
		out, worst = i, value
	}
	return out
}

// enter returns a column for which prices stay feasible, -1 if there is none.
func enter(row, reduced []float64, names []int) int {
	in, least := -1, math.Inf(1)
	for j, r := range reduced {
		if row[j] >= -pivotTolerance {
			continue
		}
		switch ratio := r / -row[j]; {
		case ratio < least:
			in, least = j, ratio
		case ratio == least && names[j] < names[in]:
			in = j
		}
	}
	return in
}

// pivot swaps the basic variable of a row with that of a column. It skips the zeros, which are
// most of the row.
func (p *Covering) pivot(out, in int, reduced []float64) {
	row := p.rows[out]
	inverse := 1 / row[in]
	p.filled = p.filled[:0]
	for j := range row {
		if row[j] != 0 && j != in {
			row[j] *= inverse
			p.filled = append(p.filled, j)
		}
	}
	row[in] = inverse
	for i, other := range p.rows {
		if factor := other[in]; i != out && factor != 0 {
			for _, j := range p.filled {
				other[j] -= factor * row[j]
			}
			other[in] = -factor * inverse
		}
	}
	if factor := reduced[in]; factor != 0 {
		for _, j := range p.filled {
			if j < p.columns {
				reduced[j] -= factor * row[j]
			}
		}
		reduced[in] = -factor * inverse
	}
}
