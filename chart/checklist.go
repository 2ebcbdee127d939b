package chart

import "fmt"

// Mark is the outcome of a line in a list.
type Mark int

// Each mark has its own colour and shape.
const (
	Passed Mark = iota
	Failed
	Open // undecided
)

// Checklist shows what was checked and the outcome, one line for each check.
type Checklist struct {
	Caption
	Names   []string
	Marks   []Mark
	Details []string
}

const (
	checkRow   = 19
	checkWidth = 860
)

// Scene draws the list.
func (c *Checklist) Scene() (*Scene, error) {
	if len(c.Marks) != len(c.Names) || len(c.Details) != len(c.Names) {
		return nil, fmt.Errorf("%d names with %d marks and %d details", len(c.Names), len(c.Marks), len(c.Details))
	}
	room := 0.0
	for _, name := range c.Names {
		room = max(room, textWidth(name, tickSize, true))
	}
	s := &Scene{Width: checkWidth}
	y := c.header(s)
	left := margin + 22.0
	for i, name := range c.Names {
		s.Add(c.Marks[i].shape(margin+8, y+checkRow/2-1, name)...)
		s.Add(Text{X: left, Y: y + 13, Text: name, Size: tickSize, Bold: true, Fill: Ink})
		for _, l := range wrapText(c.Details[i], tickSize, false, checkWidth-left-room-14-margin) {
			s.Add(Text{X: left + room + 14, Y: y + 13, Text: l, Size: tickSize, Fill: Ink})
			y += tickSize + 4
		}
		y += checkRow - tickSize - 4
		if c.Details[i] == "" {
			y += tickSize + 4
		}
		s.Add(line(margin, y-1, checkWidth-margin, y-1, Grid, 1))
	}
	c.footer(s, y+4)
	return s, nil
}

// shape returns a tick, a cross or a ring, in distinguishable colours.
func (m Mark) shape(x, y float64, tip string) []Shape {
	const r = 5.0
	stroke := func(k int, points ...Point) Shape {
		return Path{Points: points, Stroke: Series(k), Width: 2.4, Tip: tip}
	}
	switch m {
	case Passed:
		return []Shape{stroke(0, Point{x - r, y}, Point{x - r/4, y + r}, Point{x + r, y - r})}
	case Failed:
		return []Shape{stroke(1, Point{x - r, y - r}, Point{x + r, y + r}), stroke(1, Point{x - r, y + r}, Point{x + r, y - r})}
	}
	return []Shape{Circle{X: x, Y: y, R: r - 1, Fill: Paper, Stroke: Muted, Width: 2, Tip: tip}}
}
