package harvest

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/reproduce/claim"
	"github.com/lightpath-net/lightpath/units"
)

// convention is one reading of the parts of Fig. 5's setting that the paper leaves open.
type convention struct {
	hop   units.Duration
	clock string
	steps bool // BvN pays before every step, even if its circuits stay
	first bool // the first configuration takes a delay
	fine  bool // finer grid than in the authors' scripts
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
	ofRatios  = "of ratios"
	geometric = "of ratios, geometric"
	ofTimes   = "ratio of the sums of times"
)

// conventions lists all combinations.
func conventions() []convention {
	var list []convention
	for _, hop := range []units.Duration{stated, byConvention} {
		for _, mean := range []string{ofRatios, geometric, ofTimes} {
			for _, clock := range []string{byModel, byTheta, byPackets} {
				for bits := range 8 {
					list = append(list, convention{hop, clock, bits&1 > 0, bits&2 > 0, bits&4 > 0, mean})
				}
			}
		}
	}
	return list
}

// readings holds the curves of the collectives of Fig. 5 for each delay of a hop: in the model,
// in packets, and by the authors' synthesis.
type readings struct {
	packets map[units.Duration]map[string]map[units.Bytes]*claim.PacketCurve
	theta   map[units.Duration]map[string]map[units.Bytes]*claim.Curve
}

// newReadings plans the figures, and simulates the plans if packets is set.
func newReadings(ctx context.Context, figures []figure5, packets bool) (*readings, error) {
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
				sizes, _ := f.grid(true) // includes the coarser grid
				for _, size := range sizes {
					if f.collective != name || made[size] != nil {
						continue
					}
					w.Size = size
					c, err := simulated(ctx, w, packets)
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

// simulated returns the curve of a collective, with packet times if packets is set.
func simulated(ctx context.Context, w claim.Work, packets bool) (*claim.PacketCurve, error) {
	if packets {
		return w.PacketCurve(ctx)
	}
	c, err := w.Curve(ctx)
	if err != nil {
		return nil, err
	}
	return &claim.PacketCurve{Curve: *c}, nil
}

// times returns the times of a figure's point under a convention: ours and the rival's.
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

// value returns a figure of §6.2 under a convention.
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

// gives reports whether a value is within the tolerance of the figure.
func (f *figure5) gives(value float64) bool {
	tolerance, _ := f.tolerance()
	return math.Abs(value-f.published) <= tolerance*f.published
}

// search holds the figures of §6.2 under every convention.
type search struct {
	figures     []figure5
	conventions []convention
	values      [][]float64 // by convention and figure
	within      []int       // how many figures each convention gives
}

// newSearch tries conventions; without packets, it skips those that measure time in packets.
func newSearch(ctx context.Context, packets bool) (*search, error) {
	s := &search{figures: figures5()}
	r, err := newReadings(ctx, s.figures, packets)
	if err != nil {
		return nil, err
	}
	for _, c := range conventions() {
		if c.clock == byPackets && !packets {
			continue
		}
		var values []float64
		within := 0
		for i := range s.figures {
			values = append(values, r.value(&s.figures[i], c))
			if s.figures[i].gives(values[i]) {
				within++
			}
		}
		s.conventions, s.values, s.within = append(s.conventions, c), append(s.values, values), append(s.within, within)
	}
	return s, nil
}

// best returns the first convention of a kind that gives the most figures; -1 if there is none.
func (s *search) best(of func(convention) bool) int {
	best := -1
	for i, c := range s.conventions {
		if of(c) && (best < 0 || s.within[i] > s.within[best]) {
			best = i
		}
	}
	return best
}

// most returns how many figures the best convention gives.
func (s *search) most() float64 {
	return float64(s.within[s.best(func(convention) bool { return true })])
}

// parts returns the best convention of every clock, with the figures that it misses if none
// gives more, and the largest number of figures that other kinds of conventions give.
func (s *search) parts() []claim.Part {
	var parts []claim.Part
	add := func(name string, best int) bool {
		if best >= 0 {
			parts = append(parts, claim.Part{Name: name, Value: float64(s.within[best])})
		}
		return best >= 0
	}
	for _, clock := range []string{byTheta, byModel, byPackets} {
		best := s.best(func(c convention) bool { return c.clock == clock })
		if !add("most speed-ups by "+clock, best) || float64(s.within[best]) < s.most() {
			continue
		}
		for i := range s.figures {
			if f := &s.figures[i]; !f.gives(s.values[best][i]) {
				parts = append(parts, claim.Part{Name: fmt.Sprintf("it misses %s: %s (published %v)", f.collective, f.quantity, f.published), Value: s.values[best][i], Unit: "times"})
			}
		}
		parts = append(parts, claim.Part{})
		last := &parts[len(parts)-1]
		last.Name = "conventions that give as many by " + clock
		for i, c := range s.conventions {
			if c.clock == clock && s.within[i] == s.within[best] {
				last.Value++
			}
		}
	}
	add("most with 500 ns a hop", s.best(func(c convention) bool { return c.hop == stated }))
	add("most on the grid of the authors' scripts", s.best(func(c convention) bool { return !c.fine }))
	add("the convention on that grid", s.best(func(c convention) bool { return c == convention{hop: byConvention, clock: byTheta, mean: ofRatios} }))
	return parts
}

// searchFigure5 tries all conventions.
var searchFigure5 = claim.Once(func(ctx context.Context) (*search, error) { return newSearch(ctx, true) })
