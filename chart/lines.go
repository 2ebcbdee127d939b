package chart

import (
	"fmt"
	"math"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
)

// Line is one of the lines, or clouds of points, of a chart.
type Line struct {
	Name   string
	X, Y   []float64
	Marks  []int // indices of points with a dot: where the line bends
	Dashed bool
	Points bool     // points only, no line
	Labels []string // next to the points, if not nil
	Step   bool     // it keeps its value up to the next point
}

// Lines shows numbers against numbers.
type Lines struct {
	Caption
	X, Y  Axis
	Lines []Line
	// Here, if not 0, is a vertical line named HereName.
	Here     float64
	HereName string
}

const (
	linesWidth  = 680
	linesHeight = 330
)

// Scene draws the chart.
func (l *Lines) Scene() (*Scene, error) {
	var xs, ys []float64
	for _, one := range l.Lines {
		if len(one.X) != len(one.Y) || one.Labels != nil && len(one.Labels) != len(one.X) {
			return nil, fmt.Errorf("line %q has %d x, %d y and %d labels", one.Name, len(one.X), len(one.Y), len(one.Labels))
		}
		xs, ys = append(xs, one.X...), append(ys, one.Y...)
	}
	if l.Here != 0 {
		xs = append(xs, l.Here)
	}
	s := &Scene{Width: linesWidth}
	top := l.header(s)
	names := make([]string, len(l.Lines))
	for i := range l.Lines {
		names[i] = l.Lines[i].Name
	}
	top = legendOf(s, names, func(i int, x, y float64) []Shape { return l.Lines[i].sample(i, x, y) },
		Rect{X: margin, Y: top - 4, W: linesWidth - 2*margin}) + 6
	x, y := newScale(l.X, xs, 9), newScale(l.Y, ys, 7)
	f := frame{left: margin + 26 + labelRoom(&y), top: top, height: linesHeight}
	f.width = linesWidth - f.left - margin - 12
	below := f.axes(s, &x, &y)
	if l.Here != 0 {
		at := x.at(l.Here)
		s.Add(Path{Points: []Point{{at, f.top}, {at, f.bottom()}}, Stroke: Ink, Width: 1, Dash: []float64{2, 4}},
			Text{X: at + 5, Y: f.top + 12, Text: l.HereName, Size: tickSize, Fill: Ink})
	}
	for i := range l.Lines {
		l.Lines[i].draw(s, &x, &y, i)
	}
	l.footer(s, below)
	return s, nil
}

// draw adds the line. In addition to its colour, every line has a distinct dash, from the fifth
// line on or if it is dashed, and a distinct marker shape, for readers and printers without
// colour.
func (l *Line) draw(s *Scene, x, y *scale, i int) {
	dash := l.dash(i)
	var run []Point
	flush := func() {
		if len(run) > 1 && !l.Points {
			s.Add(Path{Points: run, Stroke: Series(i), Width: 2.2, Dash: dash, Tip: l.Name})
		}
		run = nil
	}
	visible := func(k int) bool {
		v := l.Y[k]
		return !math.IsNaN(v) && !math.IsInf(v, 0) && !math.IsInf(l.X[k], 0) && !(y.axis.Log && v <= 0) && !(x.axis.Log && l.X[k] <= 0)
	}
	for k := range l.X {
		if !visible(k) {
			flush()
			continue
		}
		p := Point{x.at(l.X[k]), y.at(l.Y[k])}
		if n := len(run); l.Step && n > 0 {
			run = append(run, Point{p.X, run[n-1].Y})
		}
		run = append(run, p)
	}
	flush()
	marks := l.Marks
	if l.Points {
		marks = nil
		marks = append(marks, arithmetic.UpTo(len(l.X))...)
	}
	for _, k := range marks {
		if k < 0 || k >= len(l.X) || !visible(k) {
			continue
		}
		tip := fmt.Sprintf("%s: %s, %s", l.Name, x.axis.Unit.Format(l.X[k]), y.axis.Unit.Format(l.Y[k]))
		s.Add(marker(i, x.at(l.X[k]), y.at(l.Y[k]), tip))
	}
	for k, text := range l.Labels {
		if text == "" || !visible(k) {
			continue
		}
		px, py := x.at(l.X[k]), y.at(l.Y[k])
		t := Text{X: px + 8, Y: py - 6, Text: text, Size: noteSize, Fill: Ink}
		if px+8+textWidth(text, noteSize, false) > x.to {
			t.X, t.Anchor = px-8, End
		}
		s.Add(t)
	}
}

// dash returns the dashes of the i-th line; nil if it has none.
func (l *Line) dash(i int) []float64 {
	switch {
	case l.Dashed:
		return [][]float64{{6, 5}, {2, 4}, {12, 4}, {10, 3, 2, 3}}[(i+3)%4]
	case i >= 4:
		return []float64{10, 3, 2, 3}
	}
	return nil
}

// sample draws a sample of the i-th line, 12 by 12 at (x, y): its dashes and its marker.
func (l *Line) sample(i int, x, y float64) []Shape {
	var shapes []Shape
	if !l.Points {
		shapes = append(shapes, Path{Points: []Point{{x - 3, y + 6}, {x + 14, y + 6}}, Stroke: Series(i), Width: 2.6, Dash: l.dash(i)})
	}
	if l.Points || len(l.Marks) > 0 {
		shapes = append(shapes, marker(i, x+6, y+6, ""))
	}
	return shapes
}

// marker returns the marker of the i-th line: round, square, diamond or triangle.
func marker(i int, x, y float64, tip string) Shape {
	const r = 4.2
	p := Path{Closed: true, Fill: Series(i), Stroke: Paper, Width: 1, Tip: tip}
	switch i % 4 {
	case 0:
		return Circle{X: x, Y: y, R: r, Fill: Series(i), Stroke: Paper, Width: 1, Tip: tip}
	case 1:
		p.Points = []Point{{x - r, y - r}, {x + r, y - r}, {x + r, y + r}, {x - r, y + r}}
	case 2:
		p.Points = []Point{{x, y - r - 1.5}, {x + r + 1.5, y}, {x, y + r + 1.5}, {x - r - 1.5, y}}
	default:
		p.Points = []Point{{x, y - r - 1}, {x + r + 1, y + r}, {x - r - 1, y + r}}
	}
	return p
}
