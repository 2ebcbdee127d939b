package column

import (
	"cmp"
	"slices"

	"github.com/lightpath-net/lightpath/envelope"
)

// concave represents a function that is the least of finitely many non-decreasing lines, known at
// some points. Between two known points on the same line the function is on that line: a concave
// function is nowhere below its chords, and it is nowhere above one of its lines. A line that
// does not rise continues for ever. So lookups are exact, and few points are needed if there are
// few lines.
type concave struct {
	known []tangent // by x
}

// tangent is a point of the function with the line that it lies on.
type tangent struct {
	x float64
	envelope.Line
}

// lineTolerance is the relative rounding error of a sum of up to some thousand times, by which
// two computations of one point may differ.
const lineTolerance = 1e-12

// lookup returns the line at x, if it follows from what is known.
func (c *concave) lookup(x float64) (envelope.Line, bool) {
	i, found := slices.BinarySearchFunc(c.known, x, func(t tangent, x float64) int { return cmp.Compare(t.x, x) })
	if found {
		return c.known[i].Line, true
	}
	if i > 0 && c.known[i-1].Slope == 0 {
		return c.known[i-1].Line, true // a longer delay makes nothing faster
	}
	if i == 0 || i == len(c.known) {
		return envelope.Line{}, false
	}
	a, b := c.known[i-1], c.known[i]
	if value := b.At(b.x); a.At(b.x) > value+lineTolerance*value {
		return envelope.Line{}, false
	}
	return a.Line, true
}

// add adds a known point.
func (c *concave) add(x float64, line envelope.Line) {
	i, found := slices.BinarySearchFunc(c.known, x, func(t tangent, x float64) int { return cmp.Compare(t.x, x) })
	if !found {
		c.known = slices.Insert(c.known, i, tangent{x, line})
	}
}
