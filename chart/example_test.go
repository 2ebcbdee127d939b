package chart_test

import (
	"fmt"
	"strings"

	"github.com/lightpath-net/lightpath/chart"
)

func ExampleLines() {
	c := &chart.Lines{
		Caption: chart.Caption{Title: "Time by size", Source: "Model time"},
		X:       chart.Axis{Label: "size", Unit: chart.Bytes, Log: true},
		Y:       chart.Axis{Label: "time", Unit: chart.Seconds, Log: true},
		Lines:   []chart.Line{{Name: "ring", X: []float64{1024, 1 << 20}, Y: []float64{64000, 83000}}},
	}
	s, err := c.Scene()
	if err != nil {
		fmt.Println(err)
		return
	}
	var svg strings.Builder
	if err := s.SVG(&svg); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.Contains(svg.String(), "64 KiB"))
	// Output: true
}
