package figure

import (
	"fmt"

	"github.com/lightpath-net/lightpath/chart"
	"github.com/lightpath-net/lightpath/command/emulating"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/units"
)

// Emulate draws the time of every step on three clocks: the model's, that of packets and the
// host's.
func Emulate(e *emulating.Emulation) (*chart.Scene, error) {
	c := &chart.Lines{
		Caption: chart.Caption{Title: fmt.Sprintf("%d ranks in %s: what every step took", e.Ranks, units.Count(e.Processes, "process", "processes")),
			Source: "Predicted: model. Simulated: packets. Measured: the host's clock"},
		X: chart.Axis{Label: "step", Unit: chart.Count}, Y: chart.Axis{Label: "time", Unit: chart.Seconds, Log: true},
	}
	switch {
	case e.Fault != nil:
		c.Subtitle = "it ended with a fault: " + e.Fault.Text
	default:
		c.Subtitle = fmt.Sprintf("every result is right; in all predicted %v, simulated %v, measured %v", e.PredictedNs, e.SimulatedNs, e.MeasuredNs)
	}
	switch {
	case e.Slow == 0:
		c.Source += ", ignoring the fabric's times."
	case e.Slow == 1:
		c.Source += ", at the fabric's pace."
	default:
		c.Source += fmt.Sprintf(", run %.0f times slower and scaled back.", e.Slow)
	}
	// The model's line, often the same as that of packets, shows between the dashes of the latter.
	predicted, simulated, measured := chart.Line{Name: "predicted"}, chart.Line{Name: "simulated", Dashed: true}, chart.Line{Name: "measured"}
	for _, s := range e.Steps {
		for line, time := range map[*chart.Line]units.Time{&predicted: s.PredictedNs, &simulated: s.SimulatedNs, &measured: s.MeasuredNs} {
			// A time of 0 is not drawn.
			line.X, line.Y = append(line.X, float64(s.Index)), append(line.Y, float64(time))
		}
	}
	if n := len(e.Steps); n > 0 { // there is no step 0
		c.X.Least, c.X.Most = float64(e.Steps[0].Index), float64(max(e.Steps[n-1].Index, e.Steps[0].Index+1))
	}
	measured.Marks = append(measured.Marks, arithmetic.UpTo(len(measured.X))...)
	if len(e.Steps) == 1 { // a single point is not a line
		predicted.Points, simulated.Points = true, true
	}
	c.Lines = []chart.Line{predicted, simulated, measured}
	return c.Scene()
}
