package claim

import (
	"context"
	"fmt"
	"math"

	"github.com/lightpath-net/lightpath/chart"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/units"
)

// Field is the axes of a heat map of the papers: reconfiguration delays across, sizes up.
type Field struct {
	Sizes  []units.Bytes
	Delays []units.Duration
}

// Wide returns the range of HARVEST and Light Bends: 1 KiB to 1 GiB in steps of four, 10 ns to
// 10 ms.
func Wide() Field {
	f := Field{Delays: Decades(10*units.Nanosecond, 10*units.Millisecond)}
	for size := units.KiB; size <= units.GiB; size *= 4 {
		f.Sizes = append(f.Sizes, size)
	}
	return f
}

// Every keeps every n-th size, from the smallest on.
func (f Field) Every(count int) Field {
	var kept []units.Bytes
	for i := 0; i < len(f.Sizes); i += count {
		kept = append(kept, f.Sizes[i])
	}
	f.Sizes = kept
	return f
}

// The clocks that a map can show.
const (
	ByModel   = "by the model"
	ByPackets = "packet by packet"
)

// values evaluates a map cell by cell, one row per size, by the indices of size and delay.
func (f Field) values(value func(size, delay int) float64) [][]float64 {
	rows := make([][]float64, len(f.Sizes))
	for i := range f.Sizes {
		for j := range f.Delays {
			rows[i] = append(rows[i], value(i, j))
		}
	}
	return rows
}

// SpeedupMap is a heat map of ratios of times; 1 is white.
func (f Field) SpeedupMap(title, subtitle, source string, value func(size, delay int) float64) *chart.HeatMap {
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
		h.Least, h.Most = 0, 0 // by the data
	}
	for _, d := range f.Delays {
		h.X = append(h.X, float64(d.Time()))
	}
	h.Y = append(h.Y, each.Of(f.Sizes, func(s units.Bytes) float64 { return float64(s) })...)
	return h
}

// Against are the comparisons of HARVEST and Light Bends.
var Against = []struct {
	Part, Over string
	Of         func(static, every units.Time) units.Time
}{
	{"static", "a static topology", func(static, _ units.Time) units.Time { return static }},
	{"bvn", "BvN schedules, which change before every step", func(_, every units.Time) units.Time { return every }},
	{"both", "the better of static and BvN", func(static, every units.Time) units.Time { return min(static, every) }},
}

// SpeedupPanel draws the gain of a paper's planner for a collective over static, over BvN and
// over the better of both, in the model and, if packets is set, packet by packet.
func (w Work) SpeedupPanel(name, setting string, f Field, packets bool) func(context.Context, Best) ([]Drawing, error) {
	return func(ctx context.Context, _ Best) ([]Drawing, error) {
		curves := make([]*PacketCurve, len(f.Sizes))
		for i, size := range f.Sizes {
			w.Size = size
			var err error
			if packets {
				curves[i], err = w.PacketCurve(ctx)
			} else {
				var c *Curve
				if c, err = w.Curve(ctx); err == nil {
					curves[i] = &PacketCurve{Curve: *c}
				}
			}
			if err != nil {
				return nil, err
			}
		}
		var drawings []Drawing
		for _, a := range Against {
			title := fmt.Sprintf("%s: speed-up over %s", name, a.Over)
			drawings = append(drawings, Drawing{a.Part + "/model", f.SpeedupMap(title, setting+", "+ByModel, "times of the model", func(i, j int) float64 {
				c, delay := curves[i], f.Delays[j]
				return float64(a.Of(c.Static, c.EveryStep(delay)) / c.At(delay))
			})})
			if packets {
				drawings = append(drawings, Drawing{a.Part + "/packets", f.SpeedupMap(title, setting+", "+ByPackets, fmt.Sprintf("the same plans replayed in packets of %v", PacketSize), func(i, j int) float64 {
					best, static, every := curves[i].InPackets(f.Delays[j])
					return float64(a.Of(static, every) / best)
				})})
			}
		}
		return drawings, nil
	}
}
