package train

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/units"
)

// Line is the time of a plan as a function of the size: what does not depend on it, and
// nanoseconds per byte.
type Line struct {
	Fixed   units.Time
	PerByte float64
}

// At is the time for a size.
func (l Line) At(size units.Bytes) units.Time { return l.Fixed + units.Time(l.PerByte*float64(size)) }

// Envelope knows the best plan for every size without making all of them. The time of a
// plan is a line in the size, so that the best time is a concave function, the lowest of
// all lines. Where the line of one size passes through the best time of another it is the
// best for all sizes between them; where it does not, the place where the lines of both
// sizes meet is looked at next. Every line so takes few plans, whatever the number of
// sizes that are asked for. Plans must come from a planner that finds the best line for
// every size; of one that does not, the answers are times of real plans, but not always
// those that it would make for just that size.
type Envelope struct {
	plan  func(ctx context.Context, size units.Bytes) (Line, error)
	known []tangent // ascending by size
	Plans int       // made so far
}

// tangent is the line of the best plan for a size.
type tangent struct {
	size units.Bytes
	Line
}

func (t *tangent) here() units.Time { return t.At(t.size) }

// NewEnvelope returns an envelope that makes plans when they are needed.
func NewEnvelope(plan func(ctx context.Context, size units.Bytes) (Line, error)) *Envelope {
	return &Envelope{plan: plan}
}

// sameLine is the relative rounding of times that are computed from different sizes.
const sameLine = 1e-9

// maxProbes is the number of plans for other sizes that are tried before one is made for
// the size that was asked for.
const maxProbes = 4

// At returns the time for a size and the size for which that plan was made.
func (e *Envelope) At(ctx context.Context, size units.Bytes) (units.Time, units.Bytes, error) {
	for probes := 0; ; probes++ {
		i, known := slices.BinarySearchFunc(e.known, size, func(t tangent, s units.Bytes) int { return cmp.Compare(t.size, s) })
		if known {
			return e.known[i].here(), size, nil
		}
		probe := size
		if i > 0 && i < len(e.known) {
			low, high := &e.known[i-1], &e.known[i]
			switch {
			case same(low.At(high.size), high.here()):
				return low.At(size), low.size, nil
			case same(high.At(low.size), low.here()):
				return high.At(size), high.size, nil
			case probes < maxProbes:
				probe = low.meets(high, size)
			}
		}
		line, err := e.plan(ctx, probe)
		if err != nil {
			return 0, 0, err
		}
		e.Plans++
		at, _ := slices.BinarySearchFunc(e.known, probe, func(t tangent, s units.Bytes) int { return cmp.Compare(t.size, s) })
		e.known = slices.Insert(e.known, at, tangent{probe, line})
	}
}

// meets returns a whole size next to where two lines meet, strictly between their own; if
// there is none, the size that is given.
func (t *tangent) meets(high *tangent, otherwise units.Bytes) units.Bytes {
	x := float64(high.Fixed-t.Fixed) / (t.PerByte - high.PerByte)
	for _, near := range []float64{math.Floor(x), math.Ceil(x)} {
		if near > float64(t.size) && near < float64(high.size) {
			return units.Bytes(near)
		}
	}
	return otherwise
}

func same(a, b units.Time) bool { return math.Abs(float64(a-b)) <= sameLine*float64(max(a, b)) }
