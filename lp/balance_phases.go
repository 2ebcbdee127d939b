package lp

import "slices"

// Rows returns the number of rows of the inverse.
func (m *Balance) Rows() int { return len(m.rhs) }

// Price returns the price of a row, which is not negative. The prices give a lower bound on
// every peak: the total, over all amounts, of the amount times the cost of its cheapest column,
// divided by the sum of capacity times price.
func (m *Balance) Price(row int) float64 { return max(0, m.length[row]) }

// KeyCost returns the cost of a column of an amount that is currently used.
func (m *Balance) KeyCost(amount int) float64 { return m.Cost(&m.cols[m.key[amount]]) }

// Key returns the number of a currently used column of an amount, in the order in which columns
// were added.
func (m *Balance) Key(amount int) int { return m.key[amount] }

// Improves reports whether a column is so much cheaper than the one in use that it is worth
// adding.
func Improves(cost, inUse float64) bool { return inUse-cost > improving*inUse+improvingSlack }

// Cheaper returns the approximate cost below which a column is worth adding.
func Cheaper(inUse float64) float64 { return inUse - improving*inUse - improvingSlack }

// ByWeight begins the second phase: it holds the peak and minimises the total of weights.
func (m *Balance) ByWeight() {
	m.rhs[len(m.rhs)-1] = m.Peak() + perturbation
	m.byWeight = true
	m.stalled = 0
	m.resolve()
}

// Values returns the part of its amount that each column takes.
func (m *Balance) Values() []float64 {
	values := make([]float64, len(m.cols))
	for c, k := range m.key {
		values[k] = m.keyX[c]
	}
	for i, v := range m.basis {
		if m.column(v) != nil {
			values[v-m.loadVar()-1] = m.x[i]
		}
	}
	return values
}

// CleanPeak returns the peak without the perturbation, and does not change the program.
func (m *Balance) CleanPeak() float64 {
	before := slices.Clone(m.rhs)
	m.unperturbed(before[len(before)-1])
	peak := m.Peak()
	copy(m.rhs, before)
	m.resolve()
	return peak
}

// RemovePerturbation makes the values exact for a peak, if the basis allows it.
func (m *Balance) RemovePerturbation(peak float64) {
	if m.invert() {
		m.unperturbed(peak)
	}
}

// unperturbed solves the current basis for the right-hand side without the perturbation and
// with the given cap, and reports whether it stays feasible. If not, nothing changes.
func (m *Balance) unperturbed(limit float64) bool {
	before := slices.Clone(m.rhs)
	clear(m.rhs)
	m.rhs[len(m.rhs)-1] = limit
	m.resolve()
	if lowest := min(slices.Min(m.x), slices.Min(m.keyX)); lowest >= -cleanTolerance*max(1, limit) {
		return true
	}
	copy(m.rhs, before)
	m.resolve()
	return false
}
