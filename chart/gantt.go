package chart

import (
	"fmt"
	"math"
)

// Gantt shows activities over time, in rows.
type Gantt struct {
	Caption
	Label string // of the time axis
	Rows  []string
	Kinds []string // of spans; each has its own colour
	Spans []Span
}

// Span is a time during which a row does something.
type Span struct {
	Row      int
	From, To float64 // ns
	Kind     int
	Text     string // shown in it, if it fits
	Tip      string
}

const ganttRow = 26

// Scene draws the chart.
func (g *Gantt) Scene() (*Scene, error) {
	ends := []float64{0}
	room := 0.0
	for _, r := range g.Rows {
		room = math.Max(room, textWidth(r, tickSize, false))
	}
	for _, span := range g.Spans {
		if span.Row < 0 || span.Row >= len(g.Rows) || span.Kind < 0 || span.Kind >= len(g.Kinds) || span.To < span.From {
			return nil, fmt.Errorf("span %q of row %d, kind %d, from %v to %v does not fit the chart", span.Text, span.Row, span.Kind, span.From, span.To)
		}
		ends = append(ends, span.To)
	}
	s := &Scene{Width: 860}
	top := g.header(s)
	paints := make([]Paint, len(g.Kinds))
	for i := range paints {
		paints[i] = Series(i)
	}
	top = legend(s, g.Kinds, paints, margin, top-4, s.Width-2*margin) + 4
	f := frame{left: margin + room + 10, top: top, height: float64(len(g.Rows))*ganttRow + 4}
	f.width = s.Width - f.left - margin - 20
	x := newScale(Axis{Unit: Seconds}, ends, 9)
	if most := maximum(ends); most > 0 { // the axis ends with the plan
		x.most = most
	}
	for len(x.ticks) > 0 && x.ticks[len(x.ticks)-1] > x.most*(1+1e-9) {
		x.ticks = x.ticks[:len(x.ticks)-1]
	}
	x.from, x.to = f.left, f.right()
	f.xTicks(s, &x)
	for i, r := range g.Rows {
		y := f.top + 2 + float64(i)*ganttRow
		s.Add(Text{X: f.left - 8, Y: y + 16, Text: r, Size: tickSize, Anchor: End, Fill: Ink})
		if i > 0 {
			s.Add(line(f.left, y-1, f.right(), y-1, Grid, 1))
		}
	}
	for _, span := range g.Spans {
		y := f.top + 4 + float64(span.Row)*ganttRow
		from, to := x.at(span.From), x.at(span.To)
		bar := Rect{X: from, Y: y, W: math.Max(to-from, 0.6), H: ganttRow - 6, Fill: paints[span.Kind], Stroke: Paper, Width: 0.6, Tip: span.Tip}
		if bar.W < 2 { // its border would cover it completely
			bar.Stroke, bar.Width = 0, 0
		}
		s.Add(bar)
		if textWidth(span.Text, noteSize, false) < to-from-4 {
			s.Add(Text{X: (from + to) / 2, Y: y + 14, Text: span.Text, Size: noteSize, Anchor: Middle, Fill: Paper})
		}
	}
	s.Add(line(f.left, f.bottom(), f.right(), f.bottom(), Muted, 1))
	g.footer(s, f.labels(s, g.Label, "", 0))
	return s, nil
}

func maximum(values []float64) float64 {
	most := math.Inf(-1)
	for _, v := range values {
		most = math.Max(most, v)
	}
	return most
}
