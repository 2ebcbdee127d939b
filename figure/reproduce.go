package figure

import (
	"fmt"
	"math"

	"github.com/lightpath-net/lightpath/chart"
	"github.com/lightpath-net/lightpath/command/reproducing"
	"github.com/lightpath-net/lightpath/reproduce"
	"github.com/lightpath-net/lightpath/units"
)

// Reproduce draws published numbers against ours.
func Reproduce(r *reproducing.Reproduction) (*chart.Scene, error) {
	c := &chart.Lines{
		Caption: chart.Caption{Title: "Published numbers and ours", Source: "On the line both agree. Published numbers, in any unit, against ours; published bounds against what they bound."},
		X:       chart.Axis{Label: "published", Log: true}, Y: chart.Axis{Label: "ours", Log: true},
	}
	least, most, drawn, left := math.Inf(1), math.Inf(-1), 0, 0
	points := map[reproduce.Verdict]*chart.Line{}
	var order []reproduce.Verdict
	for _, row := range r.Rows {
		// There is nothing to compare, or it cannot be shown on these axes.
		if row.Ours == nil || row.Published <= 0 || *row.Ours <= 0 {
			left++
			continue
		}
		l := points[row.Verdict]
		if l == nil {
			l = &chart.Line{Name: string(row.Verdict), Points: true}
			points[row.Verdict] = l
			order = append(order, row.Verdict)
		}
		l.X, l.Y = append(l.X, row.Published), append(l.Y, *row.Ours)
		least, most = min(least, row.Published, *row.Ours), max(most, row.Published, *row.Ours)
		drawn++
	}
	if drawn == 0 {
		return nil, fmt.Errorf("none of these numbers was computed; list computes nothing, all or an ID does")
	}
	c.Subtitle = units.Count(drawn, "claim")
	if left > 0 {
		c.Subtitle += fmt.Sprintf("; %d without a number of ours above 0", left)
	}
	if least == most {
		least, most = least/2, most*2
	}
	c.Lines = []chart.Line{{Name: "equal", X: []float64{least, most}, Y: []float64{least, most}, Dashed: true}}
	for _, v := range order {
		points[v].Name += fmt.Sprintf(" (%d)", len(points[v].X))
		c.Lines = append(c.Lines, *points[v])
	}
	return c.Scene()
}
