package reproduce

import (
	"context"
	"fmt"
	"math"

	"github.com/lightpath-net/lightpath/chart"
	"github.com/lightpath-net/lightpath/units"
)

// field is the axes of a heat map of the papers: delays of a change across, sizes up.
type field struct {
	sizes  []units.Bytes
	delays []units.Duration
}

// wide is the range of HARVEST and Light Bends: 1 KiB to 1 GiB in steps of four, 10 ns to
// 10 ms.
func wide() field {
	f := field{delays: decades(10*units.Nanosecond, 10*units.Millisecond)}
	for size := units.KiB; size <= units.GiB; size *= 4 {
		f.sizes = append(f.sizes, size)
	}
	return f
}

// every keeps one of so many sizes, from the smallest on.
func (f field) every(count int) field {
	var kept []units.Bytes
	for i := 0; i < len(f.sizes); i += count {
		kept = append(kept, f.sizes[i])
	}
	f.sizes = kept
	return f
}

// The clocks that a map can show.
const (
	byModel   = "by the model"
	byPackets = "packet by packet"
)

// values evaluates a map cell by cell, a row for each size, by the places of both.
func (f field) values(value func(size, delay int) float64) [][]float64 {
	rows := make([][]float64, len(f.sizes))
	for i := range f.sizes {
		for j := range f.delays {
			rows[i] = append(rows[i], value(i, j))
		}
	}
	return rows
}

// speedupMap is a heat map of ratios of times; 1 is white.
func (f field) speedupMap(title, subtitle, source string, value func(size, delay int) float64) *chart.HeatMap {
	h := &chart.HeatMap{
		Caption: chart.Caption{Title: title, Subtitle: subtitle, Source: source},
		XLabel:  "reconfiguration delay", YLabel: "message size", XUnit: chart.Seconds, YUnit: chart.Bytes,
		Values: f.values(value), Value: "speed-up", Unit: chart.Times, Ramp: chart.Sequential, Log: true, Least: 1,
	}
	h.Most = 1.01 // a map without any gain is white
	for _, row := range h.Values {
		for _, v := range row {
			if !math.IsNaN(v) {
				h.Most = max(h.Most, v)
				if v < 1-1e-9 {
					h.Ramp, h.Center = chart.Diverging, 1
				}
			}
		}
	}
	if h.Ramp == chart.Diverging {
		h.Least, h.Most = 0, 0 // the data's
	}
	for _, d := range f.delays {
		h.X = append(h.X, float64(d.Time()))
	}
	for _, s := range f.sizes {
		h.Y = append(h.Y, float64(s))
	}
	return h
}

// against are the comparisons of HARVEST and Light Bends.
var against = []struct {
	part, over string
	of         func(static, every units.Time) units.Time
}{
	{"static", "a static topology", func(static, _ units.Time) units.Time { return static }},
	{"bvn", "BvN schedules, which change before every step", func(_, every units.Time) units.Time { return every }},
	{"both", "the better of static and BvN", func(static, every units.Time) units.Time { return min(static, every) }},
}

// speedupPanel draws what a planner of the paper gains for a collective: over static, over
// BvN and over the better of both, by the model and, if asked for, packet by packet.
func (w work) speedupPanel(name, setting string, f field, packets bool) func(context.Context, Best) ([]Drawing, error) {
	return func(ctx context.Context, _ Best) ([]Drawing, error) {
		curves := make([]*packetCurve, len(f.sizes))
		for i, size := range f.sizes {
			w.size = size
			var err error
			if packets {
				curves[i], err = w.packetCurve(ctx)
			} else {
				var c *curve
				if c, err = w.curve(ctx); err == nil {
					curves[i] = &packetCurve{curve: *c}
				}
			}
			if err != nil {
				return nil, err
			}
		}
		var drawings []Drawing
		for _, a := range against {
			title := fmt.Sprintf("%s: speed-up over %s", name, a.over)
			drawings = append(drawings, Drawing{a.part + "/model", f.speedupMap(title, setting+", "+byModel, "times of the model", func(i, j int) float64 {
				c, delay := curves[i], f.delays[j]
				return float64(a.of(c.static, c.everyStep(delay)) / c.at(delay))
			})})
			if packets {
				drawings = append(drawings, Drawing{a.part + "/packets", f.speedupMap(title, setting+", "+byPackets, fmt.Sprintf("the same plans replayed in packets of %v", packetSize), func(i, j int) float64 {
					best, static, every := curves[i].inPackets(f.delays[j])
					return float64(a.of(static, every) / best)
				})})
			}
		}
		return drawings, nil
	}
}
