package envelope

// Line is a value as a function of a parameter x: Fixed + Slope*x. Of belongs to the caller, who
// can tell from it which plan the line is of; this package ignores it.
type Line struct {
	Fixed, Slope float64
	Of           int
}

// At is the value at x.
func (l Line) At(x float64) float64 { return l.Fixed + l.Slope*x }

// Meets returns where two lines of different slope have the same value.
func (l Line) Meets(other Line) float64 { return (other.Fixed - l.Fixed) / (l.Slope - other.Slope) }

// Tolerance is the relative rounding error of a sum of many values: lines that differ by less
// are the same.
const Tolerance = 1e-10
