package figure

import (
	"fmt"

	"github.com/lightpath-net/lightpath/chart"
	"github.com/lightpath-net/lightpath/command/placing"
	"github.com/lightpath-net/lightpath/units"
)

// Placement draws the times of the slices that were planned.
func Placement(a *placing.Placement) (*chart.Scene, error) {
	bars := &chart.Bars{
		Caption: chart.Caption{
			Title:    fmt.Sprintf("%s of %v on %d GPUs: the best slices", a.Op, units.Bytes(a.SizeBytes), len(a.GPUs)),
			Subtitle: machine(&a.Fabric), Source: ofModel + ". Not a measurement.",
		},
		Label: "time", Unit: chart.Seconds, Parts: []string{"time"},
	}
	const longest = 32
	for _, c := range a.Choices {
		name := c.GPUs
		if len(name) > longest {
			name = name[:longest] + ".."
		}
		bars.Names, bars.Values = append(bars.Names, name), append(bars.Values, []float64{float64(c.TotalNs)})
	}
	return bars.Scene()
}
