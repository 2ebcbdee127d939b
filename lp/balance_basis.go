package lp

import (
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/internal/vector"
)

// This file holds the explicit inverse of the working basis of a Balance:
// the product with a column, the pivot, the exchange of a key (Dantzig and Van
// Slyke 1967) and reinversion.

// spread adds f times the column of variable v to vec, relative to the key of the column's
// amount.
func (m *Balance) spread(v int, f float64, vec []float64) {
	switch c := m.column(v); {
	case c != nil:
		for k, e := range c.Rows {
			vec[e] += f * c.Values[k]
		}
		key := &m.cols[m.key[c.Number]]
		for k, e := range key.Rows {
			vec[e] -= f * key.Values[k]
		}
	case v == m.loadVar():
		for e, n := range m.capacity {
			vec[e] -= f * n
		}
		vec[len(m.capacity)] += f
	default:
		vec[v] += f
	}
}

// direction fills w with the inverse times the column of v.
func (m *Balance) direction(v int) {
	rows := len(m.rhs)
	clear(m.scratch)
	m.spread(v, 1, m.scratch)
	clear(m.w)
	for e, f := range m.scratch {
		if f == 0 {
			continue
		}
		for i := range rows {
			m.w[i] += f * m.inv[i*rows+e]
		}
	}
}

// eliminate turns the column with direction w into the unit vector of position r.
func (m *Balance) eliminate(r int) {
	rows := len(m.rhs)
	pivot := m.inv[r*rows : (r+1)*rows]
	f := 1 / m.w[r]
	for e := range pivot {
		pivot[e] *= f
	}
	for i, wi := range m.w {
		if i == r || wi == 0 {
			continue
		}
		vector.SubtractScaled(m.inv[i*rows:(i+1)*rows], wi, pivot)
	}
}

// invert recomputes the inverse of the basis, starting from the slacks: the others enter one by
// one in the places of slacks that are not basic, the largest pivot first. If the basis is
// singular, it keeps a slack instead and reports false.
func (m *Balance) invert() bool {
	rows := len(m.rhs)
	vars := make([]int, 0, rows)
	free := slices.Repeat([]bool{true}, rows)
	for _, v := range m.basis {
		if v < rows {
			free[v] = false
		} else {
			vars = append(vars, v)
		}
	}
	clear(m.inv)
	for i := range rows {
		m.basis[i] = i
		m.inv[i*rows+i] = 1
	}
	sound := true
	for _, v := range vars {
		m.direction(v)
		r := -1
		for i, w := range m.w {
			if free[i] && math.Abs(w) > smallestPivot && (r < 0 || math.Abs(w) > math.Abs(m.w[r])) {
				r = i
			}
		}
		if r < 0 {
			m.basic[v] = false
			sound = false
			continue
		}
		free[r] = false
		m.basis[r] = v
		m.eliminate(r)
	}
	for i, f := range free {
		if f {
			m.basic[i] = true
		}
	}
	m.resolve()
	return sound
}

// resolve computes the basic solution and the dual values from the inverse, and
// returns the largest residual of a row.
func (m *Balance) resolve() float64 {
	rows := len(m.rhs)
	b := m.scratch
	copy(b, m.rhs)
	for c, a := range m.amount {
		m.keyX[c] = a
		key := &m.cols[m.key[c]]
		for k, e := range key.Rows {
			b[e] -= a * key.Values[k]
		}
	}
	clear(m.length)
	for i, v := range m.basis {
		row := m.inv[i*rows : (i+1)*rows]
		sum := 0.0
		for e, f := range row {
			sum += f * b[e]
		}
		m.x[i] = sum
		if cost := m.cost(v); cost != 0 {
			vector.SubtractScaled(m.length, cost, row)
		}
		if c := m.column(v); c != nil {
			m.keyX[c.Number] -= sum
		}
	}
	m.reprice()
	for i, v := range m.basis {
		m.spread(v, -m.x[i], b)
	}
	worst := 0.0
	for _, r := range b {
		worst = max(worst, math.Abs(r))
	}
	return worst
}

// refresh is resolve, with a fresh inverse if the old one has drifted. It reports false if the
// basis turns out to be singular.
func (m *Balance) refresh() bool {
	if m.resolve() <= drift*max(1, m.Peak()) {
		return true
	}
	return m.invert()
}

// Peak returns the value of L.
func (m *Balance) Peak() float64 {
	for i, v := range m.basis {
		if v == m.loadVar() {
			return m.x[i]
		}
	}
	return 0
}

// exchangeKey swaps the key of an amount, which is about to leave the basis, with the amount's
// column at position r. Columns of the amount are relative to the key, so row r of the inverse
// becomes minus the sum of all their rows; the direction at r becomes the rate at which the old
// key shrinks.
func (m *Balance) exchangeKey(number, r int) {
	rows := len(m.rhs)
	row := m.inv[r*rows : (r+1)*rows]
	for i, v := range m.basis {
		if c := m.column(v); c != nil && c.Number == number && i != r {
			for e, f := range m.inv[i*rows : (i+1)*rows] {
				row[e] += f
			}
		}
	}
	for e := range row {
		row[e] = -row[e]
	}
	newKey := m.basis[r] - m.loadVar() - 1
	m.basis[r] = m.loadVar() + 1 + m.key[number]
	m.key[number] = newKey
	m.keyX[number], m.x[r] = m.x[r], m.keyX[number]
	m.w[r] = m.rate[number]
}
