package figure

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/chart"
	"github.com/lightpath-net/lightpath/command/emulating"
)

// Calibrate draws measured times with the fitted ones, and their differences.
func Calibrate(c *emulating.Calibration) (*chart.Scene, error) {
	where := "Times of a file"
	if c.Nodes > 0 {
		where = fmt.Sprintf("Times of this host with %d ranks, by its clock", c.Nodes)
	}
	times := &chart.Lines{
		Caption: chart.Caption{Title: fmt.Sprintf("Fitted: alpha %v, %s", c.AlphaNs, chart.Bits.Format(float64(c.BandwidthBps))),
			Subtitle: fmt.Sprintf("%d samples; %.1f%% of the measured time off the fit on average, at most %.1f%%", c.Samples, 100*c.Residual, 100*c.ResidualMax),
			Source:   where + "; the fit minimises squared relative errors."},
		X: chart.Axis{Label: "bytes", Unit: chart.Bytes, Log: true}, Y: chart.Axis{Label: "time", Unit: chart.Seconds, Log: true},
	}
	rest := &chart.Lines{
		Caption: chart.Caption{Title: "How far measured times are from the fit", Subtitle: "above 0: it took longer than fitted", Source: where + "."},
		X:       chart.Axis{Label: "bytes", Unit: chart.Bytes, Log: true}, Y: chart.Axis{Label: "of the measured time", Unit: chart.Percent},
	}
	samples := slices.Clone(c.Measured)
	slices.SortStableFunc(samples, func(a, b emulating.CalibratedSample) int {
		return cmp.Or(cmp.Compare(a.Hops, b.Hops), cmp.Compare(a.Steps, b.Steps), cmp.Compare(a.Bytes, b.Bytes))
	})
	measured, far := chart.Line{Name: "measured", Points: true}, chart.Line{Name: "measured", Points: true}
	fits := []chart.Line{{}}
	names := fittedNames(samples)
	for i, s := range samples {
		fitted := &fits[len(fits)-1]
		// A new line begins where hops or steps differ.
		if i > 0 && (samples[i-1].Hops != s.Hops || samples[i-1].Steps != s.Steps) {
			if names == nil {
				fitted.X, fitted.Y = append(fitted.X, s.Bytes), append(fitted.Y, math.NaN())
			} else {
				fits = append(fits, chart.Line{})
				fitted = &fits[len(fits)-1]
			}
		} else if i > 0 && s.Bytes > samples[i-1].Bytes {
			straight(fitted, int64(samples[i-1].Bytes), samples[i-1].FittedNs, int64(s.Bytes), s.FittedNs)
		}
		measured.X, measured.Y = append(measured.X, s.Bytes), append(measured.Y, float64(s.TimeNs))
		fitted.X, fitted.Y = append(fitted.X, s.Bytes), append(fitted.Y, float64(s.FittedNs))
		if s.TimeNs > 0 {
			far.X, far.Y = append(far.X, s.Bytes), append(far.Y, float64((s.TimeNs-s.FittedNs)/s.TimeNs))
		}
	}
	for i := range fits {
		fits[i].Name = "fitted"
		if names != nil {
			fits[i].Name += ", " + names[i]
		}
	}
	times.Lines, rest.Lines = append([]chart.Line{measured}, fits...), []chart.Line{far}
	first, err := times.Scene()
	if err != nil {
		return nil, err
	}
	second, err := rest.Scene()
	if err != nil {
		return nil, err
	}
	return chart.Panels("", 2, first, second), nil
}

// fittedNames names the fitted lines of sorted samples by the hops and steps in which they
// differ; nil if there is only one, or too many to distinguish.
func fittedNames(samples []emulating.CalibratedSample) []string {
	var first []emulating.CalibratedSample // first sample of each line
	for i, s := range samples {
		if i == 0 || samples[i-1].Hops != s.Hops || samples[i-1].Steps != s.Steps {
			first = append(first, s)
		}
	}
	if len(first) < 2 || len(first) >= maxCurves {
		return nil
	}
	hops := slices.ContainsFunc(first, func(s emulating.CalibratedSample) bool { return s.Hops != first[0].Hops })
	steps := slices.ContainsFunc(first, func(s emulating.CalibratedSample) bool { return s.Steps != first[0].Steps })
	var names []string
	for _, s := range first {
		var words []string
		if hops {
			words = append(words, numbered(s.Hops, "hop"))
		}
		switch {
		case steps && s.Steps == 0:
			words = append(words, "steps unknown")
		case steps:
			words = append(words, numbered(s.Steps, "step"))
		}
		names = append(names, strings.Join(words, ", "))
	}
	return names
}

// numbered formats a number, possibly an average, of something.
func numbered(n float64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%.4g %ss", n, what)
}
