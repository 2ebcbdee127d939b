package column

import (
	"cmp"
	"slices"

	"github.com/lightpath-net/lightpath/envelope"
)

// concave knows a function that is the least of finitely many lines, none of which falls, from
// the points where it was asked for. What lies between two points of the same line is on that
// line, since a concave function is nowhere below its chords and no line that it is made of lies
// below it; and a line that does not rise goes on for ever. So it answers exactly, and is asked
// for few points where there are few lines.
type concave struct {
	known []tangent // by x
}

// tangent is a point of the function with the line that it lies on.
type tangent struct {
	x float64
	envelope.Line
}

// lineTolerance is the relative rounding of a sum of up to some thousand times, by which
// two computations of one point may differ.
const lineTolerance = 1e-12

// lookup returns the line at x, if it follows from what is known.
func (c *concave) lookup(x float64) (envelope.Line, bool) {
	i, found := slices.BinarySearchFunc(c.known, x, func(t tangent, x float64) int { return cmp.Compare(t.x, x) })
	if found {
		return c.known[i].Line, true
	}
	if i > 0 && c.known[i-1].Slope == 0 {
		return c.known[i-1].Line, true // no larger delay makes anything faster
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

// add makes a point known.
func (c *concave) add(x float64, line envelope.Line) {
	i, found := slices.BinarySearchFunc(c.known, x, func(t tangent, x float64) int { return cmp.Compare(t.x, x) })
	if !found {
		c.known = slices.Insert(c.known, i, tangent{x, line})
	}
}
