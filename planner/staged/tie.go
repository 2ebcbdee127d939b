package staged

import "math"

// state is the best way to be on a topology after a step.
type state struct {
	total   float64
	changes int
}

// tieTolerance is the relative difference below which two totals count as equal, so
// that the plan with fewer reconfigurations wins: rounding in sums of some thousand
// terms stays below it.
const tieTolerance = 1e-12

// better orders states: first by time, then by the number of changes.
func (s state) better(t state) bool {
	switch {
	case s.total < t.total*(1-tieTolerance):
		return true
	case s.total > t.total*(1+tieTolerance):
		return false
	}
	return s.changes < t.changes && !math.IsInf(s.total, 1)
}
