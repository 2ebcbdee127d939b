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
	hop   units.Duration
	clock string
	steps bool // BvN pays before every step, also where its circuits stay
	first bool // the first configuration takes a delay
	fine  bool // a finer grid than that of the authors' scripts
	mean  string
}

// The clocks.
const (
	byModel   = "the model"
	byTheta   = "the authors' synthesis, which charges delta/theta"
	byPackets = "packets"
)

// The ways to take a mean of ratios.
const (
	arithmetic = "of ratios"
	geometric  = "of ratios, geometric"
	ofTimes    = "ratio of the sums of times"
)

// conventions lists all combinations.
func conventions() []convention {
	var list []convention
	for _, hop := range []units.Duration{stated, byConvention} {
		for _, mean := range []string{arithmetic, geometric, ofTimes} {
			for _, clock := range []string{byModel, byTheta, byPackets} {
				for bits := range 8 {
					list = append(list, convention{hop, clock, bits&1 > 0, bits&2 > 0, bits&4 > 0, mean})
				}
			}
		}
	}
	return list
}

// readings has the curves of the collectives of Fig. 5 for a hop: by the model and in packets, and
// by the authors' synthesis.
type readings struct {
	packets map[units.Duration]map[string]map[units.Bytes]*claim.PacketCurve
	theta   map[units.Duration]map[string]map[units.Bytes]*claim.Curve
}

func newReadings(ctx context.Context, figures []figure5) (*readings, error) {
	r := &readings{map[units.Duration]map[string]map[units.Bytes]*claim.PacketCurve{}, map[units.Duration]map[string]map[units.Bytes]*claim.Curve{}}
	for _, hop := range []units.Duration{stated, byConvention} {
		r.packets[hop], r.theta[hop] = map[string]map[units.Bytes]*claim.PacketCurve{}, map[string]map[units.Bytes]*claim.Curve{}
		for name, w := range harvestCollectives(hop) {
			made := map[units.Bytes]*claim.PacketCurve{}
			r.packets[hop][name], r.theta[hop][name] = made, map[units.Bytes]*claim.Curve{}
			var theta *synthesis
			if w.Fabric.Ports > 1 { // with one port both clocks are the same
				var err error
				if theta, err = newSynthesis(ctx, w); err != nil {
					return nil, err
				}
			}
			for _, f := range figures {
				sizes, _ := f.grid(true) // has the coarser one's
				for _, size := range sizes {
					if f.collective != name || made[size] != nil {
						continue
					}
					w.Size = size
					c, err := w.PacketCurve(ctx)
					if err != nil {
						return nil, err
					}
					made[size], r.theta[hop][name][size] = c, &c.Curve
					if theta != nil {
						r.theta[hop][name][size] = theta.curve(size)
					}
				}
			}
		}
	}
	return r, nil
}

// times are those of a figure's point under a convention: ours and its rival's.
func (r *readings) times(f *figure5, c convention, size units.Bytes, delay units.Duration) (best, rival units.Time) {
	packets := r.packets[c.hop][f.collective][size]
	curve := &packets.Curve
	if c.clock == byTheta {
		curve = r.theta[c.hop][f.collective][size]
	}
	best, static, every := curve.At(delay), curve.Static, curve.EveryStep(delay)
	if c.clock == byPackets {
		best, static, every = packets.InPackets(delay)
	}
	if c.steps {
		every += units.Time(curve.Steps-1-curve.Every.Reconfigurations) * delay.Time()
	}
	if c.first {
		best, static, every = best+delay.Time(), static+delay.Time(), every+delay.Time()
	}
	if f.bvn {
		return best, every
	}
	return best, static
}

// value is a figure of §6.2 under a convention.
func (r *readings) value(f *figure5, c convention) float64 {
	var ratios []float64
	var theirs, ours units.Time
	sizes, delays := f.grid(c.fine)
	for _, size := range sizes {
		for _, delay := range delays {
			best, rival := r.times(f, c, size, delay)
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

// within counts the figures that a convention gives.
func (r *readings) within(figures []figure5, c convention) int {
	count := 0
	for i := range figures {
		f := &figures[i]
		if tolerance, _ := f.tolerance(); math.Abs(r.value(f, c)-f.published) <= tolerance*f.published {
			count++
		}
	}
	return count
}

// searchFigure5 counts the figures of §6.2 that the best convention gives.
func searchFigure5(ctx context.Context) (float64, error) {
	figures := figures5()
	r, err := newReadings(ctx, figures)
	if err != nil {
		return 0, err
	}
	most := 0
	for _, c := range conventions() {
		most = max(most, r.within(figures, c))
	}
	return float64(most), nil
}
