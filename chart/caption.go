package chart

import "strings"

// Caption has the words of a chart.
type Caption struct {
	Title    string
	Subtitle string // its settings: the fabric, the operation
	Source   string // where the numbers come from: which clock, which program
}

// These are the sizes of texts.
const (
	titleSize = 14
	labelSize = 12
	tickSize  = 11
	noteSize  = 10.5
	margin    = 16
)

// header writes title and subtitle, wrapped to the width of the scene, and returns where
// the chart can begin.
func (c Caption) header(s *Scene) float64 {
	s.Title = c.Title
	y := 6.0
	for _, l := range wrapText(c.Title, titleSize, true, s.Width-2*margin) {
		y += titleSize + 5
		s.Add(Text{X: margin, Y: y, Text: l, Size: titleSize, Bold: true, Fill: Ink})
	}
	for _, l := range wrapText(c.Subtitle, labelSize, false, s.Width-2*margin) {
		y += labelSize + 4
		s.Add(Text{X: margin, Y: y, Text: l, Size: labelSize, Fill: Muted})
	}
	return y + 12
}

// footer writes the source below y and sets the height of the scene.
func (c Caption) footer(s *Scene, y float64) {
	for _, l := range wrapText(c.Source, noteSize, false, s.Width-2*margin) {
		y += noteSize + 4
		s.Add(Text{X: margin, Y: y, Text: l, Size: noteSize, Fill: Muted})
	}
	s.Height = y + 10
}

// wrapText breaks a text at spaces so that no line is wider than width, unless a single word
// is.
func wrapText(text string, size float64, bold bool, width float64) []string {
	if text == "" {
		return nil
	}
	var lines []string
	current := ""
	for word := range strings.FieldsSeq(text) {
		longer := word
		if current != "" {
			longer = current + " " + word
		}
		if current != "" && textWidth(longer, size, bold) > width {
			lines = append(lines, current)
			longer = word
		}
		current = longer
	}
	return append(lines, current)
}

// cut shortens a text to a width and ends it with dots.
func cut(text string, size, width float64) string {
	if textWidth(text, size, false) <= width {
		return text
	}
	runes := []rune(text)
	for len(runes) > 1 && textWidth(string(runes)+"…", size, false) > width {
		runes = runes[:len(runes)-1]
	}
	return string(runes) + "…"
}

// legend writes names with the colours of their series in lines that fit the width, from (x,
// y), and returns the y below it. For a single name it writes nothing.
func legend(s *Scene, names []string, paints []Paint, x, y, width float64) float64 {
	return legendOf(s, names, func(i int, x, y float64) []Shape {
		return []Shape{Rect{X: x, Y: y, W: 12, H: 12, Fill: paints[i]}}
	}, Rect{X: x, Y: y, W: width})
}

// legendOf writes names with samples of their series, 12 wide and high at (x, y), in lines that
// fit into the width of a box, and returns the y below it. For a single name it writes nothing.
func legendOf(s *Scene, names []string, sample func(i int, x, y float64) []Shape, box Rect) float64 {
	x, y, width := box.X, box.Y, box.W
	if len(names) < 2 {
		return y
	}
	left := x
	y += 4
	for i, name := range names {
		w := 22 + textWidth(name, tickSize, false) + 14
		if left > x && left+w > x+width {
			left, y = x, y+tickSize+7
		}
		s.Add(sample(i, left, y)...)
		s.Add(Text{X: left + 17, Y: y + 10, Text: name, Size: tickSize, Fill: Ink})
		left += w
	}
	return y + tickSize + 9
}
