package pricing

import "math"

// State is the best way to be on a topology after a step.
type State struct {
	Total   float64
	Changes int
}

// TieTolerance is the relative difference below which two totals count as equal, so
// that the plan with fewer reconfigurations wins: rounding in sums of some thousand
// terms stays below it.
const TieTolerance = 1e-12

// Better orders states: first by time, then by the number of changes.
func (s State) Better(t State) bool {
	switch {
	case s.Total < t.Total*(1-TieTolerance):
		return true
	case s.Total > t.Total*(1+TieTolerance):
		return false
	}
	return s.Changes < t.Changes && !math.IsInf(s.Total, 1)
}
