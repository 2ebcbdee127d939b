package chart

import (
	"fmt"
	"math"
)

// Bars shows numbers of several things, each made of parts on top of one another, from
// the left to the right.
type Bars struct {
	Caption
	Label  string // what the numbers are
	Unit   Unit
	Names  []string // of the things
	Parts  []string // of what each is made
	Values [][]float64
	// Bound, if not 0, is a line that no thing can be left of, named BoundName.
	Bound     float64
	BoundName string
}

const barHeight = 20

// Scene draws the chart.
func (b *Bars) Scene() (*Scene, error) {
	if len(b.Values) != len(b.Names) {
		return nil, fmt.Errorf("%d bars with %d rows of values", len(b.Names), len(b.Values))
	}
	totals := []float64{0, b.Bound}
	room := 0.0
	for i, row := range b.Values {
		if len(row) != len(b.Parts) {
			return nil, fmt.Errorf("bar %q has %d parts of %d", b.Names[i], len(row), len(b.Parts))
		}
		total := 0.0
		for _, v := range row {
			total += v
		}
		totals = append(totals, total)
		room = math.Max(room, textWidth(b.Names[i], tickSize, false))
	}
	room = math.Min(room, linesWidth*0.55)
	s := &Scene{Width: linesWidth}
	top := b.header(s)
	paints := make([]Paint, len(b.Parts))
	for i := range paints {
		paints[i] = Series(i)
	}
	top = legend(s, b.Parts, paints, margin, top-4, linesWidth-2*margin) + 4
	if b.Bound != 0 {
		top += noteSize + 4 // for its name
	}
	f := frame{left: margin + room + 8, top: top, height: float64(len(b.Names))*(barHeight+6) + 6}
	f.width = linesWidth - f.left - margin - 60
	x := newScale(Axis{Label: b.Label, Unit: b.Unit}, totals, 7)
	x.from, x.to = f.left, f.right()
	f.xTicks(s, &x)
	ends, label := make([]float64, len(b.Values)), make([]string, len(b.Values))
	for i, row := range b.Values {
		y := f.top + 6 + float64(i)*(barHeight+6)
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
	}
	if b.Bound != 0 {
		at := x.at(b.Bound)
		s.Add(Path{Points: []Point{{at, f.top}, {at, f.bottom()}}, Stroke: Ink, Width: 1.5, Dash: []float64{5, 4}},
			Text{X: at, Y: f.top - 3, Text: b.BoundName, Size: noteSize, Anchor: Middle, Fill: Ink})
	}
	for i, text := range label { // on a patch of paper, as lines may cross it
		y := f.top + 6 + float64(i)*(barHeight+6)
		s.Add(Rect{X: ends[i] + 2, Y: y + 3, W: textWidth(text, tickSize, false) + 6, H: 15, Fill: Paper},
			Text{X: ends[i] + 5, Y: y + 14, Text: text, Size: tickSize, Fill: Ink})
	}
	s.Add(line(f.left, f.top, f.left, f.bottom(), Muted, 1))
	b.footer(s, f.labels(s, b.Label, "", 0))
	return s, nil
}

// Histogram shows how many of some numbers are in each of several equal ranges.
type Histogram struct {
	Caption
	Label  string // what the numbers are
	Count  string // what is counted
	Unit   Unit
	Values []float64
	Bins   int // 0: by the rule of Sturges
}

// Scene draws the chart.
func (h *Histogram) Scene() (*Scene, error) {
	if len(h.Values) == 0 {
		return nil, fmt.Errorf("a histogram of no numbers")
	}
	bins := h.Bins
	if bins <= 0 {
		bins = int(math.Ceil(math.Log2(float64(len(h.Values))))) + 1
	}
	x := newScale(Axis{Label: h.Label, Unit: h.Unit}, append([]float64{0}, h.Values...), 8)
	counts := make([]float64, bins)
	for _, v := range h.Values {
		k := int((v - x.least) / (x.most - x.least) * float64(bins))
		counts[min(max(k, 0), bins-1)]++
	}
	s := &Scene{Width: linesWidth}
	y := newScale(Axis{Label: h.Count}, append([]float64{0}, counts...), 6)
	f := frame{left: margin + 26 + labelRoom(&y), top: h.header(s), height: 240}
	f.width = linesWidth - f.left - margin - 12
	below := f.axes(s, &x, &y)
	width := f.width / float64(bins)
	for i, c := range counts {
		if c == 0 {
			continue
		}
		top := y.at(c)
		from := x.least + (x.most-x.least)*float64(i)/float64(bins)
		to := from + (x.most-x.least)/float64(bins)
		s.Add(Rect{X: f.left + float64(i)*width + 1, Y: top, W: width - 2, H: f.bottom() - top, Fill: Series(0),
			Tip: fmt.Sprintf("%s to %s: %.0f", h.Unit.Format(from), h.Unit.Format(to), c)})
	}
	h.footer(s, below)
	return s, nil
}
