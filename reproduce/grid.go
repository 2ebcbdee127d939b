package reproduce

import (
	"context"

	"github.com/lightpath-net/lightpath/units"
)

// baseline is what a plan is compared with.
type baseline func(c *curve, delay units.Duration) units.Time

func overStatic(c *curve, _ units.Duration) units.Time { return c.static }

// overEveryStep pays for changes only.
func overEveryStep(c *curve, delay units.Duration) units.Time { return c.everyStep(delay) }

// overBoth is the better of static and every-step.
func overBoth(c *curve, delay units.Duration) units.Time {
	return min(c.static, c.everyStep(delay))
}

// speedups are the ratios of a baseline's times to those of the best plans over a grid.
type speedups struct{ least, mean, most float64 }

// grid compares over sizes and delays.
func (w work) grid(ctx context.Context, sizes []units.Bytes, delays []units.Duration, over baseline) (speedups, error) {
	var s speedups
	sum := 0.0
	for i, size := range sizes {
		w.size = size
		c, err := w.curve(ctx)
		if err != nil {
			return s, err
		}
		for j, delay := range delays {
			ratio := float64(over(c, delay) / c.at(delay))
			if i+j == 0 || ratio < s.least {
				s.least = ratio
			}
			s.most = max(s.most, ratio)
			sum += ratio
		}
	}
	s.mean = sum / float64(len(sizes)*len(delays))
	return s, nil
}

// doubled lists sizes from one to another, each twice as large as the one before.
func doubled(from, to units.Bytes) []units.Bytes {
	var sizes []units.Bytes
	for size := from; size <= to; size *= 2 {
		sizes = append(sizes, size)
	}
	return sizes
}

// decades lists 1, 2 and 5 times the powers of ten in a range of delays.
func decades(from, to units.Duration) []units.Duration {
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
