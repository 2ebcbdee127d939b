package envelope

// Line is a value as a function of a parameter x: Fixed + Slope*x. Of is the caller's, to
// tell which plan it is the line of; nothing here looks at it.
type Line struct {
	Fixed, Slope float64
	Of           int
}

// At is the value at x.
func (l Line) At(x float64) float64 { return l.Fixed + l.Slope*x }

// Meets returns where two lines of different slope have the same value.
func (l Line) Meets(other Line) float64 { return (other.Fixed - l.Fixed) / (l.Slope - other.Slope) }

// Tolerance is the relative rounding of a value that is a sum of many: lines that differ
// by less are the same.
const Tolerance = 1e-10
