package lp

import (
	"context"
	"math"
)

// These are the tolerances of a Balance. They need no units, because a Balance is scaled so
// that its optimum is at least 1.
const (
	// feasibility is how far below zero a variable may fall: above the rounding
	// of a few hundred rows, below the perturbation.
	feasibility = 1e-12
	// improving is how far below zero the reduced cost of a column must be for a pivot to pay,
	// relative to the cost of the column that it replaces. All columns left out for it together
	// cost less than a millionth.
	improving = 1e-10
	// improvingSlack is improving for the slack of a row. It is absolute, because the prices of
	// all capacity sum to 1.
	improvingSlack = 1e-12
	// drift is the largest residual of the basic solution, relative to L, at which the inverse is
	// not recomputed: as large as the feasibility tolerance. The inverse of the final basis is
	// always fresh.
	drift = 1e-12
	// cleanTolerance is how far below zero, relative to the peak, a value may fall when the
	// perturbation is removed from the final basis. Beyond it the perturbed solution is used,
	// which is feasible.
	cleanTolerance = 1e-11
)

// EntriesPerColumn is roughly how many numbers of a column a pivot touches, for Balance.Work.
const EntriesPerColumn = 8

// refreshEvery is the number of pivots between checks of the residual: often enough to catch
// drift early, and rarely enough to cost little compared with the pivots.
const refreshEvery = 100

// Balance is the linear program that divides amounts over columns so that the fullest row is as
// empty as possible,
//
//	minimise    L, or the total of weight x
//	subject to  sum of values(e,p) x_p - capacity(e) L + slack_e = b_e   per row e
//	            L + slack = cap
//	            sum of x_p over the columns of amount c = amount_c       per amount c
//
// with all variables >= 0, over the columns known so far. It is solved by the revised primal
// simplex method with generalised upper bounds (Dantzig and Van Slyke 1967). Each column is in
// only one row of amounts, so one basic column per amount, its key, is eliminated together with
// that row, and the explicit inverse covers only the other rows. Its size is thus the number of
// capacity rows, however many amounts there are, and a pivot takes O(rows^2 + amounts + entries
// of the known columns). It differs from the textbook in a deterministic perturbation against
// stalling, with Bland's rule as a fallback; in Devex weights for pricing; and in a two-pass
// ratio test that prefers large pivots among near ties (both Harris 1973).
//
// Variables are numbered: slacks by row, then L, then the columns.
type Balance struct {
	Pivots int   // so far
	Work   int64 // numbers touched by all pivots, approximately

	capacity []float64
	amount   []float64
	rhs      []float64
	cols     []Column
	flat     flatColumns // the same columns
	byWeight bool        // minimise the total of weights instead of L

	key    []int // basic column that represents each amount
	keyX   []float64
	basis  []int // variable at each position
	x      []float64
	inv    []float64 // row i belongs to position i
	basic  []bool    // per variable, including keys
	gain   []float64 // per variable, minus the reduced cost
	weight []float64 // per variable, Devex reference weight
	length []float64 // minus the dual value of each row

	w, rate, scratch, keyDot []float64
	stalled                  int // consecutive pivots without progress
}

// NewBalance starts from one column per amount: column i is for amount i.
func NewBalance(capacity, amount []float64, cols []Column) *Balance {
	rows := len(capacity) + 1
	m := &Balance{
		capacity: capacity,
		amount:   amount,
		rhs:      make([]float64, rows),
		cols:     cols,
		key:      make([]int, len(amount)),
		keyX:     make([]float64, len(amount)),
		basis:    make([]int, rows),
		x:        make([]float64, rows),
		inv:      make([]float64, rows*rows),
		basic:    make([]bool, rows+1+len(cols)),
		gain:     make([]float64, rows+1+len(cols)),
		weight:   make([]float64, rows+1+len(cols)),
		length:   make([]float64, rows),
		w:        make([]float64, rows),
		rate:     make([]float64, len(amount)),
		scratch:  make([]float64, rows),
		keyDot:   make([]float64, len(amount)),
	}
	for i := range cols {
		m.flat.add(&cols[i])
	}
	load := make([]float64, len(capacity))
	for c := range amount {
		m.key[c] = c
		m.basic[rows+1+c] = true
		for k, e := range cols[c].Rows {
			load[e] += cols[c].Values[k] * amount[c]
		}
	}
	// L replaces the slack of the fullest row.
	most, peak := 0, 0.0
	for e, l := range load {
		m.rhs[e] = perturbation * spread(e)
		if p := (l - m.rhs[e]) / capacity[e]; p > peak {
			most, peak = e, p
		}
	}
	m.rhs[rows-1] = 2 * peak // no restriction until capLoad
	for i := range rows {
		m.basis[i] = i
		m.basic[i] = true
	}
	for v := range m.weight {
		m.weight[v] = 1
	}
	m.basis[most] = m.loadVar()
	m.basic[most], m.basic[m.loadVar()] = false, true
	m.invert()
	return m
}

func (m *Balance) loadVar() int { return len(m.rhs) }

// Add adds a column to choose from.
func (m *Balance) Add(c Column) {
	m.cols = append(m.cols, c)
	m.flat.add(&c)
	m.basic = append(m.basic, false)
	m.weight = append(m.weight, 1)
	m.gain = append(m.gain, m.Cost(&m.cols[m.key[c.Number]])-m.Cost(&c))
}

// column returns the column of variable v, or nil for a slack or L.
func (m *Balance) column(v int) *Column {
	if v <= m.loadVar() {
		return nil
	}
	return &m.cols[v-m.loadVar()-1]
}

func (m *Balance) cost(v int) float64 {
	c := m.column(v)
	switch {
	case c == nil && v == m.loadVar() && !m.byWeight:
		return 1
	case c != nil && m.byWeight:
		return c.Weight - m.cols[m.key[c.Number]].Weight
	}
	return 0
}

// step is the result of the ratio test: the position that leaves the basis, or the amount whose
// key leaves.
type step struct {
	position, number int
	length           float64
}

// ratioTest returns how far the entering variable can grow along direction w.
func (m *Balance) ratioTest(enter int) (step, bool) {
	clear(m.rate)
	for i, v := range m.basis {
		if c := m.column(v); c != nil {
			m.rate[c.Number] -= m.w[i]
		}
	}
	if c := m.column(enter); c != nil {
		m.rate[c.Number]++
	}
	limit := math.Inf(1)
	for i, w := range m.w {
		if w > smallestPivot {
			limit = min(limit, (m.x[i]+feasibility)/w)
		}
	}
	for c, w := range m.rate {
		if w > smallestPivot {
			limit = min(limit, (m.keyX[c]+feasibility)/w)
		}
	}
	best, pivot := step{position: -1, number: -1}, 0.0
	for i, w := range m.w {
		if w > max(smallestPivot, pivot) && m.x[i] <= limit*w {
			best, pivot = step{i, -1, m.x[i] / w}, w
		}
	}
	for c, w := range m.rate {
		if w > max(smallestPivot, pivot) && m.keyX[c] <= limit*w {
			best, pivot = step{-1, c, m.keyX[c] / w}, w
		}
	}
	best.length = max(0, best.length)
	return best, pivot > 0
}

// pivot lets variable enter grow by s.length and replace the one that leaves.
func (m *Balance) pivot(enter int, s step) {
	gain := m.gain[enter]
	for i, w := range m.w {
		m.x[i] -= s.length * w
	}
	for c, w := range m.rate {
		m.keyX[c] -= s.length * w
	}
	if s.length*gain > feasibility*perturbation {
		m.stalled = 0
	} else {
		m.stalled++
	}
	m.basic[enter] = true
	r := s.position
	if s.number >= 0 {
		old := m.loadVar() + 1 + m.key[s.number]
		if r = m.largest(s.number); r < 0 { // the key is the only basic column
			m.basic[old] = false
			m.key[s.number] = enter - m.loadVar() - 1
			m.keyX[s.number] = s.length
			for k := range m.cols {
				if m.cols[k].Number == s.number {
					m.gain[m.loadVar()+1+k] -= gain
				}
			}
			return
		}
		m.exchangeKey(s.number, r)
	}
	leave := m.basis[r]
	m.basic[leave], m.gain[leave], m.weight[leave] = false, 0, 1
	m.basis[r] = enter
	m.x[r] = s.length
	m.eliminate(r)
	m.update(enter, gain, r)
}

// largest returns the position of the largest basic column of an amount, other than its key, or
// -1.
func (m *Balance) largest(number int) int {
	r := -1
	for i, v := range m.basis {
		if c := m.column(v); c != nil && c.Number == number && (r < 0 || m.x[i] > m.x[r]) {
			r = i
		}
	}
	return r
}

// Optimise pivots until no known column improves the objective. It reports false if it reaches
// the limit of pivots or of the arithmetic first.
func (m *Balance) Optimise(ctx context.Context, limit int) (bool, error) {
	fresh := false // duals and gains were computed from the inverse, not updated
	for m.Pivots < limit {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if m.Pivots%refreshEvery == 0 && !fresh {
			if !m.refresh() {
				return false, nil
			}
			fresh = true
		}
		enter := m.price()
		if enter < 0 && fresh {
			return true, nil
		}
		if enter < 0 {
			if !m.refresh() {
				return false, nil
			}
			fresh = true
			continue
		}
		m.Pivots++
		m.Work += int64(len(m.rhs)*len(m.rhs) + len(m.amount) + EntriesPerColumn*len(m.cols))
		fresh = false
		m.direction(enter)
		s, ok := m.ratioTest(enter)
		if !ok {
			return false, nil
		}
		m.pivot(enter, s)
	}
	return false, nil
}
