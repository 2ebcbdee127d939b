package chart

import (
	"fmt"
	"math"
	"strings"
)

// HeatMap shows a number, or a category, for every pair of an x and a y.
type HeatMap struct {
	Caption
	XLabel, YLabel string
	XUnit, YUnit   Unit
	X, Y           []float64 // of the columns from left to right and the rows from bottom to top
	// Values has a row for every y; NaN means no value. With Categories, a value is the index
	// of a category.
	Values [][]float64
	Value  string // what the numbers mean
	Unit   Unit
	Ramp   Ramp
	Center float64 // value in the middle of a diverging ramp
	Log    bool    // colours follow the logarithm
	// Least and Most, if they differ, are the values at the ends of the ramp, so that several maps
	// can share it; otherwise those of the data are.
	Least, Most float64
	// Categories, if not nil, are the names of the values.
	Categories []string
	// Inside, if not nil, is true for the cells inside a line named InsideName.
	Inside     [][]bool
	InsideName string
	// Bare leaves out the key of the colours and the source, which Key draws for several maps.
	Bare bool
}

// Cells are as large as fits heatWidth, between these sizes.
const (
	heatWidth = 620
	leastCell = 7
	mostCell  = 44
)

// Scene draws the chart.
func (h *HeatMap) Scene() (*Scene, error) {
	if len(h.X) == 0 || len(h.Y) == 0 || len(h.Values) != len(h.Y) {
		return nil, fmt.Errorf("a heat map of %d columns and %d rows with %d rows of values", len(h.X), len(h.Y), len(h.Values))
	}
	for i, row := range h.Values {
		if len(row) != len(h.X) {
			return nil, fmt.Errorf("row %d of a heat map has %d values for %d columns", i+1, len(row), len(h.X))
		}
		if h.Inside != nil && (len(h.Inside) != len(h.Y) || len(h.Inside[i]) != len(h.X)) {
			return nil, fmt.Errorf("row %d of a heat map does not say of each column whether it is inside", i+1)
		}
	}
	cellW := min(max(heatWidth/float64(len(h.X)), leastCell), mostCell)
	cellH := min(max(cellW*0.62, leastCell), 460/float64(len(h.Y)), 30)
	// With few rows, leave room for the label.
	cellH = max(cellH, leastCell, textWidth(h.YLabel, labelSize, false)*1.15/float64(len(h.Y)))
	room := 0.0
	for _, y := range h.Y {
		room = math.Max(room, textWidth(h.YUnit.Format(y), tickSize, false))
	}
	left := margin + 22 + room
	s := &Scene{Width: max(left+cellW*float64(len(h.X))+margin+8, 380)}
	f := frame{left: left, top: h.header(s), width: cellW * float64(len(h.X)), height: cellH * float64(len(h.Y))}
	h.cells(s, f, cellW, cellH)
	h.contour(s, f, cellW, cellH)
	h.numbers(s, f, cellW, cellH)
	below := f.labels(s, h.XLabel, h.YLabel, room)
	if h.Bare {
		s.Height = below + 4
		return s, nil
	}
	h.footer(s, h.key(s, below))
	return s, nil
}

// Key draws what Bare maps share: the key of their colours and the source.
func (h *HeatMap) Key(width float64) *Scene {
	s := &Scene{Width: width}
	h.footer(s, h.key(s, 0))
	return s
}

// cell returns the lower left corner of a cell.
func (f frame) cell(i, j int, w, h float64) (x, y float64) {
	return f.left + float64(j)*w, f.bottom() - float64(i+1)*h
}

// closeValues is the range below which one digit after the point would give most cells the same
// text.
const closeValues = 0.25

// cells draws the cells, with their values if these fit.
func (h *HeatMap) cells(s *Scene, f frame, w, ht float64) {
	least, most := h.span()
	from, to := h.reach()
	size := math.Min(tickSize, ht*0.55)
	for i, row := range h.Values {
		for j, v := range row {
			x, y := f.cell(i, j, w, ht)
			at := fmt.Sprintf("%s %s, %s %s: ", h.XLabel, h.XUnit.Format(h.X[j]), h.YLabel, h.YUnit.Format(h.Y[i]))
			if math.IsNaN(v) {
				s.Add(Rect{X: x, Y: y, W: w, H: ht, Fill: Grid, Tip: at + "none"})
				continue
			}
			if h.Categories != nil {
				name := ""
				if k := int(v); k >= 0 && k < len(h.Categories) {
					name = h.Categories[k]
				}
				s.Add(Rect{X: x, Y: y, W: w, H: ht, Fill: Series(int(v)), Stroke: Paper, Width: 0.5, Tip: at + name})
				continue
			}
			color := h.Ramp.At(h.shade(v, least, most))
			text := cellText(v, h.Unit)
			if to-from < closeValues && text == fmt.Sprintf("%.1f", v) {
				text = fmt.Sprintf("%.2f", v)
			}
			s.Add(Rect{X: x, Y: y, W: w, H: ht, Fill: RGB(color), Tip: at + h.Unit.Format(v)})
			if size >= 6 && textWidth(text, size, false) <= w-3 {
				s.Add(Text{X: x + w/2, Y: y + ht/2 + size*0.36, Text: text, Size: size, Anchor: Middle, Fill: onTop(color)})
			}
		}
	}
}

// cellText formats a value with two digits, a percentage or count with none after the point,
// because a cell is small, and the colours show the comparison. A time has its unit.
func cellText(v float64, u Unit) string {
	switch m := math.Abs(v); {
	case u == Percent:
		return fmt.Sprintf("%.0f%%", 100*v)
	case u == Seconds && m >= 0.05:
		return cellTime(v)
	case u == Seconds:
		return strings.ReplaceAll(u.Format(v), " ", "")
	case u == Count && v == math.Trunc(v) && m < 1e4:
		return fmt.Sprintf("%.0f", v)
	case m >= 1e4:
		return fmt.Sprintf("%.0fk", v/1e3)
	case m >= 9.95:
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.1f", v)
}

// cellTime formats a time in ns with its unit and at most three digits.
func cellTime(v float64) string {
	names := []string{"ns", "us", "ms", "s"}
	k := 0
	for k < len(names)-1 && math.Abs(v) >= 999.5 {
		v /= 1000
		k++
	}
	if math.Abs(v) >= 9.95 {
		return fmt.Sprintf("%.0f%s", v, names[k])
	}
	return fmt.Sprintf("%.1f%s", v, names[k])
}

// reach returns the range of the values; least is above most if there are none.
func (h *HeatMap) reach() (least, most float64) {
	least, most = math.Inf(1), math.Inf(-1)
	for _, row := range h.Values {
		for _, v := range row {
			if !math.IsNaN(v) && !math.IsInf(v, 0) && (v > 0 || !h.Log) {
				least, most = min(least, v), max(most, v)
			}
		}
	}
	return least, most
}

// shown returns the part of the span in the key: for a diverging ramp, only as far as there are
// values.
func (h *HeatMap) shown(least, most float64) (low, high float64) {
	if from, to := h.reach(); h.Ramp == Diverging && h.Least >= h.Most && from < to {
		return max(from, least), min(to, most)
	}
	return least, most
}

// span returns the range of the values, made symmetric for a diverging ramp.
func (h *HeatMap) span() (least, most float64) {
	least, most = h.reach()
	if least > most {
		return 0, 1
	}
	if h.Least < h.Most {
		least, most = h.Least, h.Most
	}
	if h.Ramp == Diverging {
		if h.Log {
			r := max(most/h.Center, h.Center/least, 1.0001)
			return h.Center / r, h.Center * r
		}
		r := max(most-h.Center, h.Center-least, 1e-9)
		return h.Center - r, h.Center + r
	}
	if least == most {
		most = least + math.Max(math.Abs(least), 1)*1e-9
	}
	return least, most
}

func (h *HeatMap) shade(v, least, most float64) float64 {
	if h.Log {
		return math.Log(v/least) / math.Log(most/least)
	}
	return (v - least) / (most - least)
}

// contour draws the border of the cells inside, along the edges of cells: the data says only on
// which side each cell is. The border is closed, to show which side is inside.
func (h *HeatMap) contour(s *Scene, f frame, w, ht float64) {
	if h.Inside == nil {
		return
	}
	inside := func(i, j int) bool {
		return i >= 0 && j >= 0 && i < len(h.Y) && j < len(h.X) && h.Inside[i][j]
	}
	var borders []Path
	for i := range len(h.Y) + 1 {
		for j := range len(h.X) + 1 {
			x, y := f.cell(i, j, w, ht)
			if inside(i, j) != inside(i, j-1) {
				borders = append(borders, line(x, y, x, y+ht, none, 0))
			}
			if inside(i, j) != inside(i-1, j) {
				borders = append(borders, line(x, y+ht, x+w, y+ht, none, 0))
			}
		}
	}
	haloed(s, borders)
}

// haloed draws lines in black on white, which are visible on cells of any colour.
func haloed(s *Scene, lines []Path) {
	for _, way := range []struct {
		color Color
		width float64
	}{{Color{0xff, 0xff, 0xff}, 4.5}, {Color{0x10, 0x10, 0x10}, 2.2}} {
		for _, l := range lines {
			l.Stroke, l.Width = RGB(way.color), way.width
			s.Add(l)
		}
	}
}

// numbers writes the values at the axes, as many as fit.
func (h *HeatMap) numbers(s *Scene, f frame, w, ht float64) {
	every := max(1, int(math.Ceil((tickSize+3)/ht)))
	for i := 0; i < len(h.Y); i += every {
		s.Add(Text{X: f.left - 7, Y: f.bottom() - (float64(i)+0.5)*ht + 4, Text: h.YUnit.Format(h.Y[i]), Size: tickSize, Anchor: End, Fill: Ink})
	}
	widest := 0.0
	for _, x := range h.X {
		widest = math.Max(widest, textWidth(h.XUnit.Format(x), tickSize, false))
	}
	every = max(1, int(math.Ceil((widest+8)/w)))
	if every > 1 && every <= 3 && len(h.X) > 6 { // 1-2-5 steps: label the decades
		every = 3
	}
	for j := 0; j < len(h.X); j += every {
		x := f.left + (float64(j)+0.5)*w
		s.Add(line(x, f.bottom(), x, f.bottom()+4, Muted, 1),
			Text{X: x, Y: f.bottom() + 17, Text: h.XUnit.Format(h.X[j]), Size: tickSize, Anchor: Middle, Fill: Ink})
	}
}

// key explains the colours and returns the y below it.
func (h *HeatMap) key(s *Scene, y float64) float64 {
	x := float64(margin)
	if h.Categories != nil {
		paints := make([]Paint, len(h.Categories))
		for i := range paints {
			paints[i] = Series(i)
		}
		return legend(s, h.Categories, paints, x, y, s.Width-2*margin)
	}
	least, most := h.span()
	low, high := h.shown(least, most)
	at := func(t float64) float64 { // the value at a fraction of the bar
		if h.Log {
			return low * math.Pow(high/low, t)
		}
		return low + t*(high-low)
	}
	const steps, barWidth = 40, 160
	s.Add(Text{X: x, Y: y + 14, Text: h.Value, Size: tickSize, Fill: Ink})
	x += textWidth(h.Value, tickSize, false) + 10
	s.Add(Text{X: x, Y: y + 14, Text: h.Unit.Format(low), Size: tickSize, Fill: Ink})
	x += textWidth(h.Unit.Format(low), tickSize, false) + 6
	for k := range steps { // each up to the end, to hide seams
		from := barWidth / steps * float64(k)
		s.Add(Rect{X: x + from, Y: y + 4, W: barWidth - from, H: 12, Fill: RGB(h.Ramp.At(h.shade(at((float64(k)+0.5)/steps), least, most)))})
	}
	x += barWidth + 6
	s.Add(Text{X: x, Y: y + 14, Text: h.Unit.Format(high), Size: tickSize, Fill: Ink})
	x += textWidth(h.Unit.Format(high), tickSize, false) + 18
	if h.Inside != nil {
		if x+30+textWidth(h.InsideName, tickSize, false) > s.Width-margin {
			x, y = margin, y+18
		}
		haloed(s, []Path{line(x, y+10, x+22, y+10, none, 0)})
		s.Add(Text{X: x + 28, Y: y + 14, Text: h.InsideName, Size: tickSize, Fill: Ink})
	}
	return y + 22
}
