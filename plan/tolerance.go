package plan

import (
	"math"

	"github.com/lightpath-net/lightpath/units"
)

// Tolerance is the largest relative difference between a claimed time and the computed one. It
// is far above the rounding of a sum of a million float64 terms, and far below anything that a
// planner could gain by lying.
const Tolerance = 1e-9

// Near reports whether two times are equal up to rounding.
func Near(a, b units.Time) bool {
	apart := math.Abs(float64(a - b))
	return a == b || !math.IsInf(apart, 1) && apart <= Tolerance*max(math.Abs(float64(a)), math.Abs(float64(b)))
}
