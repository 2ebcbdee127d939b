package chart

import (
	"fmt"
	"math"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
)

// Bars shows numbers of several things as horizontal bars, each divided into parts.
type Bars struct {
	Caption
	Label  string // what the numbers mean
	Unit   Unit
	Names  []string // of the things
	Parts  []string // of each number
	Values [][]float64
	// Colors, if not nil, are the numbers of the parts' colours (see Series); otherwise parts are
	// numbered in order.
	Colors []int
	// Bound, if not 0, is a line, named BoundName, that no bar can end left of.
	Bound     float64
	BoundName string
	// Marks, if there are any, are a second number for each thing, named MarkName and drawn as a
	// line across its bar; 0 if unknown.
	Marks    []float64
	MarkName string
	// Under, if there are any, is what goes on during the time of each thing, named UnderName and
	// drawn as a thin bar below it that belongs to no part; 0 if nothing does.
	Under     []float64
	UnderName string
}

const (
	barHeight = 20
	markWidth = 3
	underHigh = 8
)

// pitch returns the distance between bars.
func (b *Bars) pitch() float64 {
	if b.Under != nil {
		return barHeight + underHigh + 10
	}
	return barHeight + 6
}

// Scene draws the chart.
func (b *Bars) Scene() (*Scene, error) {
	if len(b.Values) != len(b.Names) {
		return nil, fmt.Errorf("%d bars with %d rows of values", len(b.Names), len(b.Values))
	}
	if b.Marks != nil && len(b.Marks) != len(b.Names) {
		return nil, fmt.Errorf("%d bars with %d marks", len(b.Names), len(b.Marks))
	}
	if b.Under != nil && len(b.Under) != len(b.Names) {
		return nil, fmt.Errorf("%d bars with %d below them", len(b.Names), len(b.Under))
	}
	if b.Colors != nil && len(b.Colors) != len(b.Parts) {
		return nil, fmt.Errorf("%d parts with %d colours", len(b.Parts), len(b.Colors))
	}
	totals := append(append([]float64{0, b.Bound}, b.Marks...), b.Under...)
	room := 0.0
	for i, row := range b.Values {
		if len(row) != len(b.Parts) {
			return nil, fmt.Errorf("bar %q has %d parts of %d", b.Names[i], len(row), len(b.Parts))
		}
		total := arithmetic.Sum(row)
		totals = append(totals, total)
		room = math.Max(room, textWidth(b.Names[i], tickSize, false))
	}
	room = math.Min(room, linesWidth*0.55)
	s := &Scene{Width: linesWidth}
	top := b.header(s)
	paints := make([]Paint, len(b.Parts))
	for i := range paints {
		paints[i] = Series(i)
		if b.Colors != nil {
			paints[i] = Series(b.Colors[i])
		}
	}
	names := b.Parts
	if b.Marks != nil {
		names, paints = append(names[:len(names):len(names)], b.MarkName), append(paints, Ink)
	}
	under := Series(len(b.Parts))
	if b.Under != nil {
		names, paints = append(names[:len(names):len(names)], b.UnderName), append(paints, under)
	}
	top = legend(s, names, paints, margin, top-4, linesWidth-2*margin) + 4
	if b.Bound != 0 {
		top += noteSize + 4 // for the bound's name
	}
	f := frame{left: margin + room + 8, top: top, height: float64(len(b.Names))*b.pitch() + 6}
	f.width = linesWidth - f.left - margin - 60
	x := newScale(Axis{Label: b.Label, Unit: b.Unit}, totals, 7)
	x.from, x.to = f.left, f.right()
	f.xTicks(s, &x)
	ends, label := make([]float64, len(b.Values)), make([]string, len(b.Values))
	for i, row := range b.Values {
		y := f.top + 6 + float64(i)*b.pitch()
		s.Add(Text{X: f.left - 7, Y: y + 14, Text: cut(b.Names[i], tickSize, room), Size: tickSize, Anchor: End, Fill: Ink})
		sum := 0.0
		for k, v := range row {
			if !(v > 0) {
				continue
			}
			from := x.at(sum)
			sum += v
			s.Add(Rect{X: from, Y: y, W: x.at(sum) - from, H: barHeight, Fill: paints[k], Tip: fmt.Sprintf("%s, %s: %s", b.Names[i], b.Parts[k], b.Unit.Format(v))})
		}
		ends[i] = x.at(sum)
		label[i] = b.Unit.Format(sum)
		if b.Under != nil && b.Under[i] > 0 {
			wide := max(x.at(b.Under[i])-f.left, markWidth) // short ones must be visible, too
			s.Add(Rect{X: f.left, Y: y + barHeight + 2, W: wide, H: underHigh, Fill: under,
				Tip: fmt.Sprintf("%s, %s: %s", b.Names[i], b.UnderName, b.Unit.Format(b.Under[i]))},
				Text{X: f.left + wide + 4, Y: y + barHeight + 2 + underHigh, Text: b.Unit.Format(b.Under[i]), Size: noteSize, Fill: Muted})
		}
		if b.Marks == nil || !(b.Marks[i] > 0) {
			continue
		}
		at := x.at(b.Marks[i])
		s.Add(Rect{X: at - markWidth/2, Y: y - 2, W: markWidth, H: barHeight + 4, Fill: Ink,
			Tip: fmt.Sprintf("%s, %s: %s", b.Names[i], b.MarkName, b.Unit.Format(b.Marks[i]))})
		ends[i] = max(ends[i], at+markWidth/2)
	}
	if b.Bound != 0 {
		at := x.at(b.Bound)
		s.Add(Path{Points: []Point{{at, f.top}, {at, f.bottom()}}, Stroke: Ink, Width: 1.5, Dash: []float64{5, 4}},
			Text{X: at, Y: f.top - 3, Text: b.BoundName, Size: noteSize, Anchor: Middle, Fill: Ink})
	}
	for i, text := range label { // on a background, because lines may cross it
		y := f.top + 6 + float64(i)*b.pitch()
		s.Add(Rect{X: ends[i] + 2, Y: y + 3, W: textWidth(text, tickSize, false) + 6, H: 15, Fill: Paper},
			Text{X: ends[i] + 5, Y: y + 14, Text: text, Size: tickSize, Fill: Ink})
	}
	s.Add(line(f.left, f.top, f.left, f.bottom(), Muted, 1))
	b.footer(s, f.labels(s, b.Label, "", 0))
	return s, nil
}
