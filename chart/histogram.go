package chart

import (
	"fmt"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/internal/each"
)

// Histogram shows how often numbers occur: each number separately if there are few different
// ones, such as the link loads of a symmetric plan, otherwise in ranges of equal width.
type Histogram struct {
	Caption
	Label  string // what the numbers mean
	Count  string // what is counted
	Unit   Unit
	Values []float64
}

// fewValues is the largest number of different values for which each gets a bar.
const fewValues = 24

// column is a bar: its range, and the count.
type column struct {
	from, to float64
	count    float64
}

// Scene draws the chart.
func (h *Histogram) Scene() (*Scene, error) {
	if len(h.Values) == 0 {
		return nil, fmt.Errorf("a histogram of no numbers")
	}
	sorted := slices.Clone(h.Values)
	slices.Sort(sorted)
	x := newScale(Axis{Label: h.Label, Unit: h.Unit}, append([]float64{0}, sorted...), 8)
	columns, single := singles(sorted), true
	if len(columns) > fewValues {
		columns, single = ranges(sorted, x.least, x.most), false
	}
	most := []float64{0}
	most = append(most, each.Of(columns, func(c column) float64 { return c.count })...)
	s := &Scene{Width: linesWidth}
	y := newScale(Axis{Label: h.Count}, most, 6)
	f := frame{left: margin + 26 + labelRoom(&y), top: h.header(s) + noteSize, height: 240}
	f.width = linesWidth - f.left - margin - 12
	below := f.axes(s, &x, &y)
	for _, c := range columns {
		top, from, to := y.at(c.count), x.at(c.from)+0.5, x.at(c.to)-0.5
		tip := fmt.Sprintf("%s to %s: %.0f", h.Unit.Format(c.from), h.Unit.Format(c.to), c.count)
		if single {
			half := singleWidth(columns, &x) / 2
			from, to = x.at(c.from)-half, x.at(c.from)+half
			tip = fmt.Sprintf("%s: %.0f", h.Unit.Format(c.from), c.count)
		}
		s.Add(Rect{X: from, Y: top, W: math.Max(to-from, 1), H: f.bottom() - top, Fill: Series(0), Tip: tip})
		if text := fmt.Sprintf("%.0f", c.count); single && textWidth(text, noteSize, false) < math.Max(to-from, 20)+8 {
			s.Add(Text{X: (from + to) / 2, Y: top - 4, Text: text, Size: noteSize, Anchor: Middle, Fill: Ink})
		}
	}
	h.footer(s, below)
	return s, nil
}

// singles counts every value separately. Values that differ only by rounding are the same.
func singles(sorted []float64) []column {
	const rounding = 1e-9
	var all []column
	for _, v := range sorted {
		if k := len(all) - 1; k >= 0 && v-all[k].from <= rounding*math.Abs(v) {
			all[k].count++
			continue
		}
		all = append(all, column{v, v, 1})
	}
	return all
}

// singleWidth returns the width of bars of single values, such that no two overlap.
func singleWidth(columns []column, x *scale) float64 {
	width := 24.0
	for i := 1; i < len(columns); i++ {
		width = math.Min(width, 0.8*(x.at(columns[i].from)-x.at(columns[i-1].from)))
	}
	return math.Max(width, 1.5)
}

// ranges counts numbers in equal ranges, whose width follows the rule of Freedman and Diaconis
// (On the histogram as a density estimator, 1981): twice the range of the middle half of the
// numbers over the cube root of their count, which does not depend on outliers. There are at
// least 10 ranges and at most 80, which can still be told apart by eye.
func ranges(sorted []float64, least, most float64) []column {
	n := len(sorted)
	bins := 80
	if middle := sorted[n*3/4] - sorted[n/4]; middle > 0 {
		bins = int(min(80, max(10, (most-least)/(2*middle/math.Cbrt(float64(n))))))
	}
	all := make([]column, bins)
	width := (most - least) / float64(bins)
	for k := range all {
		all[k].from, all[k].to = least+float64(k)*width, least+float64(k+1)*width
	}
	for _, v := range sorted {
		all[min(max(int((v-least)/width), 0), bins-1)].count++
	}
	return slices.DeleteFunc(all, func(c column) bool { return c.count == 0 })
}
