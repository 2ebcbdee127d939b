package chart

import "math"

// frame is the area of a chart between its axes.
type frame struct {
	left, top, width, height float64
}

func (f frame) right() float64  { return f.left + f.width }
func (f frame) bottom() float64 { return f.top + f.height }

// labelRoom returns the width of the numbers on a scale.
func labelRoom(s *scale) float64 {
	room := 0.0
	for _, t := range s.ticks {
		room = math.Max(room, textWidth(s.axis.Unit.Format(t), tickSize, false))
	}
	return room
}

// axes draws grid lines, numbers and labels of both scales and returns the y below.
func (f frame) axes(s *Scene, x, y *scale) float64 {
	x.from, x.to = f.left, f.right()
	y.from, y.to = f.bottom(), f.top
	for _, t := range y.ticks {
		at := y.at(t)
		s.Add(line(f.left, at, f.right(), at, Grid, 1),
			Text{X: f.left - 7, Y: at + 4, Text: y.axis.Unit.Format(t), Size: tickSize, Anchor: End, Fill: Ink})
	}
	f.xTicks(s, x)
	s.Add(line(f.left, f.bottom(), f.right(), f.bottom(), Muted, 1))
	return f.labels(s, x.axis.label(), y.axis.label(), labelRoom(y))
}

// xTicks draws grid lines and numbers of the x scale, leaving out numbers that would
// touch.
func (f frame) xTicks(s *Scene, x *scale) {
	free := math.Inf(-1)
	for _, t := range x.ticks {
		at := x.at(t)
		s.Add(line(at, f.top, at, f.bottom(), Grid, 1))
		text := x.axis.Unit.Format(t)
		half := textWidth(text, tickSize, false) / 2
		if at-half < free {
			continue
		}
		free = at + half + 8
		s.Add(Text{X: at, Y: f.bottom() + 17, Text: text, Size: tickSize, Anchor: Middle, Fill: Ink})
	}
}

// labels writes the labels of the axes and returns the y below.
func (f frame) labels(s *Scene, x, y string, room float64) float64 {
	if y != "" {
		s.Add(Text{X: f.left - room - 18, Y: f.top + f.height/2, Text: y, Size: labelSize, Anchor: Middle, Up: true, Fill: Ink})
	}
	below := f.bottom() + 22
	if x != "" {
		below += 15
		s.Add(Text{X: f.left + f.width/2, Y: below, Text: x, Size: labelSize, Anchor: Middle, Fill: Ink})
	}
	return below + 6
}
