package envelope

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// Lazy knows the lowest line at every whole number X, such as a size, without asking for each of
// them. If the line at one point passes through the lowest value at another, it is the lowest at
// all points between them; if not, the point where the two lines meet is asked next. So each
// line takes few questions, whatever the number of points. The oracle must find the lowest line
// everywhere. If it does not, answers are still values of lines that it gave, but perhaps not of
// the line that it would give for that point. A Lazy must not be shared between goroutines.
type Lazy[X ~int64] struct {
	oracle func(ctx context.Context, x X) (Line, error)
	known  []tangent[X] // ascending by place
}

// tangent is the lowest line at a place.
type tangent[X ~int64] struct {
	x X
	Line
}

func (t *tangent[X]) here() float64 { return t.At(float64(t.x)) }

// NewLazy returns an envelope that asks the oracle only when it must.
func NewLazy[X ~int64](oracle func(ctx context.Context, x X) (Line, error)) *Lazy[X] {
	return &Lazy[X]{oracle: oracle}
}

// Learn records the lowest line at a point that the caller already knows.
func (e *Lazy[X]) Learn(x X, line Line) {
	if i, known := e.find(x); !known {
		e.known = slices.Insert(e.known, i, tangent[X]{x, line})
	}
}

func (e *Lazy[X]) find(x X) (int, bool) {
	return slices.BinarySearchFunc(e.known, x, func(t tangent[X], x X) int { return cmp.Compare(t.x, x) })
}

// sameValue is the relative rounding error of values computed from different places, each
// rounded to a whole number.
const sameValue = 1e-9

// maxProbes is how many other places At asks for before it asks for the wanted one.
const maxProbes = 4

// At returns the lowest value at a place, and the place for which the oracle gave its line.
func (e *Lazy[X]) At(ctx context.Context, x X) (value float64, of X, err error) {
	for probes := 0; ; probes++ {
		i, known := e.find(x)
		if known {
			return e.known[i].here(), x, nil
		}
		probe := x
		if i > 0 && i < len(e.known) {
			low, high := &e.known[i-1], &e.known[i]
			switch {
			case same(low.At(float64(high.x)), high.here()):
				return low.At(float64(x)), low.x, nil
			case same(high.At(float64(low.x)), low.here()):
				return high.At(float64(x)), high.x, nil
			case probes < maxProbes:
				probe = low.between(high, x)
			}
		}
		line, err := e.oracle(ctx, probe)
		if err != nil {
			return 0, 0, err
		}
		e.Learn(probe, line)
	}
}

// between returns a whole number next to where two lines meet, strictly between their own
// places, or otherwise if there is none.
func (t *tangent[X]) between(high *tangent[X], otherwise X) X {
	meet := t.Meets(high.Line)
	for _, near := range []float64{math.Floor(meet), math.Ceil(meet)} {
		if near > float64(t.x) && near < float64(high.x) {
			return X(near)
		}
	}
	return otherwise
}

func same(a, b float64) bool { return math.Abs(a-b) <= sameValue*max(a, b) }
