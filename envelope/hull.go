package envelope

import (
	"cmp"
	"math"
	"slices"
)

// Segment is a line where it is the lowest.
type Segment struct {
	Line
	From, To float64 // To is +Inf for the last
}

// Append adds a line to a hull, which is the lines that are lowest somewhere above 0, flattest
// first, and removes lines that are no longer lowest anywhere. The new line must be steeper than
// the others; it is dropped if it is not below them even at 0. It takes amortised O(1) per line
// and allocates only to grow the slice.
func Append(hull []Line, l Line) []Line {
	if n := len(hull); n > 0 && l.Fixed >= hull[n-1].Fixed*(1-Tolerance) {
		return hull // steeper and not lower at 0
	}
	for len(hull) >= 2 {
		a, b := hull[len(hull)-2], hull[len(hull)-1]
		// b is lowest somewhere only if it meets l before it meets a.
		if (b.Fixed-l.Fixed)*(b.Slope-a.Slope) < (a.Fixed-b.Fixed)*(l.Slope-b.Slope)*(1-Tolerance) {
			break
		}
		hull = hull[:len(hull)-1]
	}
	return append(hull, l)
}

// Lowest returns the lines that are lowest somewhere above 0, flattest first; of equal lines it
// keeps the first. It takes O(n log n).
func Lowest(lines []Line) []Line {
	sorted := slices.Clone(lines)
	slices.SortStableFunc(sorted, func(a, b Line) int {
		return cmp.Or(cmp.Compare(a.Slope, b.Slope), cmp.Compare(a.Fixed, b.Fixed))
	})
	var hull []Line
	for _, l := range sorted {
		hull = Append(hull, l)
	}
	return hull
}

// Segments appends the segment on which each line of a hull is the lowest, from 0 upwards, so
// the steepest line comes first.
func Segments(segments []Segment, hull []Line) []Segment {
	from := 0.0
	for i, l := range slices.Backward(hull) {
		to := math.Inf(1)
		if i > 0 {
			to = l.Meets(hull[i-1])
		}
		segments = append(segments, Segment{l, from, to})
		from = to
	}
	return segments
}
