package claim

import (
	"context"

	"github.com/lightpath-net/lightpath/units"
)

// Baseline returns the time with which a plan is compared.
type Baseline func(c *Curve, delay units.Duration) units.Time

// OverStatic compares with staying on the base.
func OverStatic(c *Curve, _ units.Duration) units.Time { return c.Static }

// OverEveryStep compares with a change before every step whose circuits differ.
func OverEveryStep(c *Curve, delay units.Duration) units.Time { return c.EveryStep(delay) }

// OverBoth compares with the better of static and every-step.
func OverBoth(c *Curve, delay units.Duration) units.Time {
	return min(c.Static, c.EveryStep(delay))
}

// Speedups are the ratios of a baseline's times to those of the best plans over a grid.
type Speedups struct{ least, Mean, Most float64 }

// Grid compares over sizes and delays.
func (w Work) Grid(ctx context.Context, sizes []units.Bytes, delays []units.Duration, over Baseline) (Speedups, error) {
	return Compare(sizes, delays, over, func(size units.Bytes) (*Curve, error) {
		w.Size = size
		return w.Curve(ctx)
	})
}

// Compare compares over sizes and delays, with a curve for every size.
func Compare(sizes []units.Bytes, delays []units.Duration, over Baseline, curve func(units.Bytes) (*Curve, error)) (Speedups, error) {
	var s Speedups
	sum := 0.0
	for i, size := range sizes {
		c, err := curve(size)
		if err != nil {
			return s, err
		}
		for j, delay := range delays {
			ratio := float64(over(c, delay) / c.At(delay))
			if i+j == 0 || ratio < s.least {
				s.least = ratio
			}
			s.Most = max(s.Most, ratio)
			sum += ratio
		}
	}
	s.Mean = sum / float64(len(sizes)*len(delays))
	return s, nil
}

// Doubled lists sizes from one to another, each twice as large as the previous one.
func Doubled(from, to units.Bytes) []units.Bytes { return powers(from, to, 2) }

// Decades lists 1, 2 and 5 times the powers of ten in a range of delays.
func Decades(from, to units.Duration) []units.Duration {
	var delays []units.Duration
	for power := from; power <= to; power *= 10 {
		for _, digit := range []units.Duration{1, 2, 5} {
			if delay := digit * power; delay <= to {
				delays = append(delays, delay)
			}
		}
	}
	return delays
}

// Quadrupled lists sizes from one to another, each four times as large as the previous one.
func Quadrupled(from, to units.Bytes) []units.Bytes { return powers(from, to, 4) }

// Tens lists delays from one to another, each ten times as large as the previous one.
func Tens(from, to units.Duration) []units.Duration { return powers(from, to, 10) }

// powers lists values from one to another, each larger than the previous one by the factor
// times.
func powers[T units.Bytes | units.Duration](from, to, times T) []T {
	var values []T
	for v := from; v <= to; v *= times {
		values = append(values, v)
	}
	return values
}
