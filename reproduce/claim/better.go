package claim

import (
	"context"
	"fmt"
	"math"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/chart"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// Bound returns a time that no plan of any algorithm beats at a delay, in this cost model.
func (w Work) Bound(delay units.Duration) (units.Time, error) {
	w.Fabric.Reconfig = fabric.Reconfig{Model: fabric.Constant, Base: delay}
	r, err := w.Request()
	if err != nil {
		return 0, err
	}
	c := r.Collective
	return bound.OfOperation(&w.Fabric, &collective.Section{Op: c.Op, Algorithm: c.Algorithm, Size: w.Size, Space: c.Space}).Total(), nil
}

// beyond holds the times of one size at the delays of a field, in order.
type beyond struct {
	static                     units.Time
	every, theirs, ours, bound []units.Time
}

// beyond compares the planner of a paper with our best plan and the bound.
func (w Work) beyond(ctx context.Context, planner string, f Field, size units.Bytes, best Best) (beyond, error) {
	w.Size = size
	c, err := w.Curve(ctx)
	if err != nil {
		return beyond{}, err
	}
	ours, err := best(ctx, w.Fabric, w.Op, size)
	if err != nil {
		return beyond{}, err
	}
	b := beyond{static: c.Static}
	for _, d := range f.Delays {
		theirs := c.At(d)
		if planner != "harvest" {
			w.Fabric.Reconfig = fabric.Reconfig{Model: fabric.Constant, Base: d}
			if theirs, err = w.Time(ctx, planner); err != nil {
				return beyond{}, err
			}
		}
		bound, err := w.Bound(d)
		if err != nil {
			return beyond{}, err
		}
		b.every, b.theirs = append(b.every, c.EveryStep(d)), append(b.theirs, theirs)
		b.ours, b.bound = append(b.ours, ours(d)), append(b.bound, bound)
	}
	return b, nil
}

// Rival is the planner of a paper, and its name in pictures.
type Rival struct{ Planner, Name string }

// BetterPanel draws the paper's plan, our best one and the bound: time against delay for one
// size, the speed-up of ours over the whole field, and its distance from the bound.
func (w Work) BetterPanel(theirs Rival, name, setting string, f Field, size units.Bytes) func(context.Context, Best) ([]Drawing, error) {
	return func(ctx context.Context, best Best) ([]Drawing, error) {
		rows := make([]beyond, len(f.Sizes))
		for i, s := range f.Sizes {
			var err error
			if rows[i], err = w.beyond(ctx, theirs.Planner, f, s, best); err != nil {
				return nil, err
			}
		}
		one, err := w.beyond(ctx, theirs.Planner, f, size, best)
		if err != nil {
			return nil, err
		}
		faster := f.SpeedupMap(fmt.Sprintf("%s: our best plan over %s", name, theirs.Name), setting, "times of the model", func(i, j int) float64 {
			return float64(rows[i].theirs[j] / rows[i].ours[j])
		})
		above := f.SpeedupMap(fmt.Sprintf("%s: our best plan over the bound", name), setting, "1x: no plan of any algorithm is faster in this cost model", func(i, j int) float64 {
			return float64(rows[i].ours[j] / rows[i].bound[j])
		})
		above.Value = "time over bound"
		return []Drawing{{"lines", betterLines(theirs.Name, name, setting, f, size, one)}, {"speedup", faster}, {"bound", above}}, nil
	}
}

// betterLines draws time against delay, up to a few times the time of the static plan.
func betterLines(theirs, name, setting string, f Field, size units.Bytes, b beyond) *chart.Lines {
	lines := DelayLines(fmt.Sprintf("%s of %v: what is left to gain", name, size), setting)
	lines.Lines = []chart.Line{{Name: "static, same algorithm"}, {Name: "BvN, same algorithm"}, {Name: theirs}, {Name: "our best plan"}, {Name: "bound: no plan is faster", Dashed: true}}
	for j, d := range f.Delays {
		for i, t := range []units.Time{b.static, b.every[j], b.theirs[j], b.ours[j], b.bound[j]} {
			Add(&lines.Lines[i], d, t)
		}
	}
	CutOff(lines, OffPage*float64(b.static))
	return lines
}

// DelayLines returns a chart of times against the reconfiguration delay.
func DelayLines(title, setting string) *chart.Lines {
	return &chart.Lines{
		Caption: chart.Caption{Title: title, Subtitle: setting, Source: "times of the model"},
		X:       chart.Axis{Label: "reconfiguration delay", Unit: chart.Seconds, Log: true},
		Y:       chart.Axis{Label: "completion time", Unit: chart.Seconds, Log: true},
	}
}

// Add appends a point to a line over delays.
func Add(l *chart.Line, delay units.Duration, t units.Time) {
	l.X, l.Y = append(l.X, float64(delay.Time())), append(l.Y, float64(t))
}

// OffPage is up to how many times the static plan's time lines are drawn.
const OffPage = 5

// CutOff removes points above a value, so that lines below it can be distinguished.
func CutOff(l *chart.Lines, most float64) {
	for i := range l.Lines {
		for k, y := range l.Lines[i].Y {
			if y > most {
				l.Lines[i].Y[k] = math.NaN()
			}
		}
	}
}
