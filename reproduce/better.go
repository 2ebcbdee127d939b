package reproduce

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

// bound is a time that no plan of any algorithm beats at a delay, in this cost model.
func (w work) bound(delay units.Duration) (units.Time, error) {
	w.fabric.Reconfig = fabric.Reconfig{Model: fabric.Constant, Base: delay}
	r, err := w.request()
	if err != nil {
		return 0, err
	}
	c := r.Collective
	return bound.OfOperation(&w.fabric, &collective.Section{Op: c.Op, Algorithm: c.Algorithm, Size: w.size, Space: c.Space}).Total(), nil
}

// beyond is what one size takes at the delays of a field, in their order.
type beyond struct {
	static                     units.Time
	every, theirs, ours, bound []units.Time
}

// beyond compares the planner of a paper with our best plan and the bound.
func (w work) beyond(ctx context.Context, planner string, f field, size units.Bytes, best Best) (beyond, error) {
	w.size = size
	c, err := w.curve(ctx)
	if err != nil {
		return beyond{}, err
	}
	ours, err := best(ctx, w.fabric, w.op, size)
	if err != nil {
		return beyond{}, err
	}
	b := beyond{static: c.static}
	for _, d := range f.delays {
		theirs := c.at(d)
		if planner != "harvest" {
			w.fabric.Reconfig = fabric.Reconfig{Model: fabric.Constant, Base: d}
			p, err := w.plan(ctx, planner)
			if err != nil {
				return beyond{}, err
			}
			theirs = p.Cost.Total()
		}
		bound, err := w.bound(d)
		if err != nil {
			return beyond{}, err
		}
		b.every, b.theirs = append(b.every, c.everyStep(d)), append(b.theirs, theirs)
		b.ours, b.bound = append(b.ours, ours(d)), append(b.bound, bound)
	}
	return b, nil
}

// rival is what a paper has: the planner, and its name in pictures.
type rival struct{ planner, name string }

// betterPanel draws the paper's plan, our best one and the bound: time against delay for one
// size, how much faster ours is over the whole field, and how far it is from the bound.
func (w work) betterPanel(theirs rival, name, setting string, f field, size units.Bytes) func(context.Context, Best) ([]Drawing, error) {
	return func(ctx context.Context, best Best) ([]Drawing, error) {
		rows := make([]beyond, len(f.sizes))
		for i, s := range f.sizes {
			var err error
			if rows[i], err = w.beyond(ctx, theirs.planner, f, s, best); err != nil {
				return nil, err
			}
		}
		one, err := w.beyond(ctx, theirs.planner, f, size, best)
		if err != nil {
			return nil, err
		}
		faster := f.speedupMap(fmt.Sprintf("%s: our best plan over %s", name, theirs.name), setting, "times of the model", func(i, j int) float64 {
			return float64(rows[i].theirs[j] / rows[i].ours[j])
		})
		above := f.speedupMap(fmt.Sprintf("%s: our best plan over the bound", name), setting, "1x: no plan of any algorithm is faster in this cost model", func(i, j int) float64 {
			return float64(rows[i].ours[j] / rows[i].bound[j])
		})
		above.Value = "time over bound"
		return []Drawing{{"lines", betterLines(theirs.name, name, setting, f, size, one)}, {"speedup", faster}, {"bound", above}}, nil
	}
}

// betterLines draws time against delay, up to a few times what the static plan takes.
func betterLines(theirs, name, setting string, f field, size units.Bytes, b beyond) *chart.Lines {
	lines := delayLines(fmt.Sprintf("%s of %v: what is left to gain", name, size), setting)
	lines.Lines = []chart.Line{{Name: "static, same algorithm"}, {Name: "BvN, same algorithm"}, {Name: theirs}, {Name: "our best plan"}, {Name: "bound: no plan is faster", Dashed: true}}
	for j, d := range f.delays {
		for i, t := range []units.Time{b.static, b.every[j], b.theirs[j], b.ours[j], b.bound[j]} {
			add(&lines.Lines[i], d, t)
		}
	}
	cutOff(lines, offPage*float64(b.static))
	return lines
}

// delayLines is a chart of times against the delay of a change.
func delayLines(title, setting string) *chart.Lines {
	return &chart.Lines{
		Caption: chart.Caption{Title: title, Subtitle: setting, Source: "times of the model"},
		X:       chart.Axis{Label: "reconfiguration delay", Unit: chart.Seconds, Log: true},
		Y:       chart.Axis{Label: "completion time", Unit: chart.Seconds, Log: true},
	}
}

func add(l *chart.Line, delay units.Duration, t units.Time) {
	l.X, l.Y = append(l.X, float64(delay.Time())), append(l.Y, float64(t))
}

// offPage is how far above the static plan lines are still drawn.
const offPage = 5

// cutOff leaves out what is above a value, so that what is below can be told apart.
func cutOff(l *chart.Lines, most float64) {
	for i := range l.Lines {
		for k, y := range l.Lines[i].Y {
			if y > most {
				l.Lines[i].Y[k] = math.NaN()
			}
		}
	}
}
