package harvest

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/reproduce/claim"
	"github.com/lightpath-net/lightpath/units"
)

// point is a size and a delay, with the times of three schedules there.
type point struct {
	size                units.Bytes
	delay               units.Duration
	best, static, every units.Time
	changes             int // of the best schedule
}

// pointOf reads a curve at a delay.
func pointOf(c *claim.Curve, size units.Bytes, delay units.Duration) point {
	return point{size, delay, c.At(delay), c.Static, c.EveryStep(delay), c.Changes(delay)}
}

// gain returns the speed-up over the better of static and BvN.
func (p point) gain() float64 { return float64(min(p.static, p.every) / p.best) }

// parts returns the gain and the times behind it.
func (p point) parts(of string) []claim.Part {
	return []claim.Part{
		{Name: fmt.Sprintf("%s: largest speed-up over both, at %v and a change of %v", of, p.size, p.delay), Value: p.gain(), Unit: "times"},
		inMicroseconds("static there", p.static),
		inMicroseconds("BvN there", p.every),
		inMicroseconds("the best plan there, with "+units.Count(p.changes, "change"), p.best),
	}
}

func inMicroseconds(name string, t units.Time) claim.Part {
	return claim.Part{Name: name, Value: float64(t / units.Microsecond.Time()), Unit: "us"}
}

// both returns the points of Fig. 5d and 5h for a collective in a setting, the largest gains
// first.
func both(ctx context.Context, collective string, in fig5Setting) ([]point, error) {
	all := &figure5{collective: collective, from: units.KiB, to: units.GiB, soon: 10 * units.Nanosecond, late: 10 * units.Millisecond}
	curve, err := in.curves(ctx, collective)
	if err != nil {
		return nil, err
	}
	var points []point
	sizes, delays := all.grid(in.finer)
	for _, size := range sizes {
		c, err := curve(size)
		if err != nil {
			return nil, err
		}
		for _, delay := range delays {
			points = append(points, pointOf(c, size, delay))
		}
	}
	slices.SortStableFunc(points, func(a, b point) int { return cmp.Compare(b.gain(), a.gain()) })
	return points, nil
}

// largestOfBoth computes the largest speed-up over both.
func largestOfBoth(collective string, in fig5Setting) func(context.Context) (float64, error) {
	return func(ctx context.Context) (float64, error) {
		points, err := both(ctx, collective, in)
		if err != nil {
			return 0, err
		}
		return points[0].gain(), nil
	}
}

// swingOverBoth shows the effect of the pool on the largest speed-up of Swing.
func swingOverBoth(ctx context.Context) ([]claim.Part, error) {
	var parts []claim.Part
	for _, reading := range []struct {
		name string
		in   fig5Setting
		all  bool
	}{
		{"by the convention, the authors' pool", inConvention, true},
		{"that with delta for every hop, as in the paper", fig5Setting{hop: byConvention, pool: true, byHops: true, finer: true}, false},
		{"that with our pool", withOurPool, true},
		{"our pool, with 500 ns a hop", fig5Setting{hop: stated, finer: true}, false},
		{"that on the grid of the authors' scripts, as stated", asStated, false},
	} {
		points, err := both(ctx, "swing", reading.in)
		if err != nil {
			return nil, err
		}
		of := points[0].parts(reading.name)
		if !reading.all {
			of = of[:1]
		}
		parts = append(parts, of...)
	}
	return parts, nil
}

// exchangeOverBoth shows the effect of the grid on the largest speed-up of the exchange, and the
// points above the published value.
func exchangeOverBoth(ctx context.Context) ([]claim.Part, error) {
	const name = "alltoall"
	var parts []claim.Part
	for _, reading := range []struct {
		name string
		in   fig5Setting
	}{
		{"by the convention", inConvention},
		{"that on the grid of the authors' scripts", fig5Setting{hop: byConvention}},
		{"that with 500 ns a hop, as stated", asStated},
	} {
		points, err := both(ctx, name, reading.in)
		if err != nil {
			return nil, err
		}
		top := points[0]
		if reading.in.hop == stated {
			parts = append(parts, top.parts(reading.name)[0])
			continue
		}
		parts = append(parts, top.parts(reading.name)...)
		if reading.in.finer {
			continue
		}
		above := 0.0
		for _, p := range points {
			if p.gain() > overBoth*(1+aboutTolerance) {
				above++
			}
		}
		parts = append(parts, claim.Part{Name: fmt.Sprintf("points, of %d, above %.3g times", len(points), overBoth*(1+aboutTolerance)), Value: above})
		w := harvestCollectives(reading.in.hop)[name]
		w.Size = top.size
		c, err := w.PacketCurve(ctx)
		if err != nil {
			return nil, err
		}
		best, static, every := c.InPackets(top.delay)
		parts = append(parts, claim.Part{Name: "the same point in packets", Value: float64(min(static, every) / best), Unit: "times"},
			claim.Part{Name: fmt.Sprintf("the next largest, at %v and a change of %v", points[1].size, points[1].delay), Value: points[1].gain(), Unit: "times"})
	}
	return parts, nil
}

// overBoth is the paper's speed-up over the better of static and BvN.
const overBoth = 2.

// aboutTolerance is the tolerance of values that the paper calls approximate.
const aboutTolerance = 0.1
