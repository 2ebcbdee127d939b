package harvest

import (
	"context"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/reproduce/claim"
	"github.com/lightpath-net/lightpath/units"
)

// convention is a reading of the setting of Fig. 5 that the paper leaves open.
type convention struct {
	hop     units.Duration
	packets bool // replayed, instead of the model
	steps   bool // BvN pays before every step, also where its circuits stay
	first   bool // the first configuration takes a delay
	mean    string
}

// The ways to take a mean of ratios.
const (
	arithmetic = "of ratios"
	geometric  = "of ratios, geometric"
	ofTimes    = "ratio of the sums of times"
)

// conventions lists all combinations.
func conventions() []convention {
	var list []convention
	for _, hop := range []units.Duration{500 * units.Nanosecond, units.Microsecond} {
		for _, mean := range []string{arithmetic, geometric, ofTimes} {
			for bits := range 8 {
				list = append(list, convention{hop, bits&1 > 0, bits&2 > 0, bits&4 > 0, mean})
			}
		}
	}
	return list
}

// readings has the curves of the collectives of Fig. 5 for a hop.
type readings map[units.Duration]map[string]map[units.Bytes]*claim.PacketCurve

func newReadings(ctx context.Context, figures []figure5) (readings, error) {
	r := readings{}
	for _, hop := range []units.Duration{500 * units.Nanosecond, units.Microsecond} {
		r[hop] = map[string]map[units.Bytes]*claim.PacketCurve{}
		for _, f := range figures {
			if r[hop][f.collective] == nil {
				r[hop][f.collective] = map[units.Bytes]*claim.PacketCurve{}
			}
			w := harvestCollectives(hop)[f.collective]
			for _, size := range f.sizes {
				if r[hop][f.collective][size] != nil {
					continue
				}
				w.Size = size
				c, err := w.PacketCurve(ctx)
				if err != nil {
					return nil, err
				}
				r[hop][f.collective][size] = c
			}
		}
	}
	return r, nil
}

// value is a figure of §6.2 under a convention.
func (r readings) value(f *figure5, c convention) float64 {
	var ratios []float64
	var theirs, ours units.Time
	for _, size := range f.sizes {
		curve := r[c.hop][f.collective][size]
		for _, delay := range f.delays {
			best, static, every := curve.At(delay), curve.Static, curve.EveryStep(delay)
			if c.packets {
				best, static, every = curve.InPackets(delay)
			}
			if c.steps {
				every += units.Time(curve.Steps-1-curve.Every.Reconfigurations) * delay.Time()
			}
			if c.first {
				best, static, every = best+delay.Time(), static+delay.Time(), every+delay.Time()
			}
			rival := static
			if f.bvn {
				rival = every
			}
			ratios = append(ratios, float64(rival/best))
			theirs, ours = theirs+rival, ours+best
		}
	}
	if f.largest {
		return slices.Max(ratios)
	}
	sum := 0.0
	for _, x := range ratios {
		if c.mean == geometric {
			x = math.Log(x)
		}
		sum += x / float64(len(ratios))
	}
	switch c.mean {
	case geometric:
		return math.Exp(sum)
	case ofTimes:
		return float64(theirs / ours)
	}
	return sum
}

// best returns the convention under which most figures are within their tolerances, the first
// of equals, and how many.
func (r readings) best(figures []figure5) (found convention, count int) {
	for _, c := range conventions() {
		within := 0
		for i := range figures {
			f := &figures[i]
			if math.Abs(r.value(f, c)-f.published) <= f.tolerance*f.published {
				within++
			}
		}
		if within > count {
			found, count = c, within
		}
	}
	return found, count
}

// searchFigure5 counts the figures of §6.2 that the best convention gives.
func searchFigure5(ctx context.Context) (float64, error) {
	figures := figures5()
	r, err := newReadings(ctx, figures)
	if err != nil {
		return 0, err
	}
	_, count := r.best(figures)
	return float64(count), nil
}
