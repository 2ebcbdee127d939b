// Package frontier finds the best plan for every reconfiguration delay, and the best choice for
// every size. The best time over all delays is the lower envelope of lines, one for every plan,
// whose slope is the number of reconfigurations. For sizes, the package finds where one choice
// overtakes another.
package frontier

import (
	"math"

	"github.com/lightpath-net/lightpath/envelope"
	"github.com/lightpath-net/lightpath/units"
)

// Point is a plan that is the fastest for a range of delays.
type Point struct {
	Algorithm        string      `json:"algorithm"`
	Planner          string      `json:"planner"`
	Reconfigurations int         `json:"reconfigurations"`
	CommunicationNs  units.Time  `json:"communication_ns"` // without the delays
	FromNs           units.Time  `json:"from_reconfig_ns"`
	ToNs             *units.Time `json:"to_reconfig_ns,omitempty"` // absent: any longer delay
}

// Lowest keeps the lines that are lowest for some delay and gives each its range. Computation
// hides delays up to compute.
func Lowest(lines []Point, compute units.Time) []Point {
	all := make([]envelope.Line, len(lines))
	for i, l := range lines {
		all[i] = envelope.Line{Fixed: float64(l.CommunicationNs), Slope: float64(l.Reconfigurations), Of: i}
	}
	var points []Point
	for i, s := range envelope.Segments(nil, envelope.Lowest(all)) {
		point := lines[s.Of]
		if i > 0 {
			point.FromNs = units.Time(s.From) + compute
		}
		if !math.IsInf(s.To, 1) {
			to := units.Time(s.To) + compute
			point.ToNs = &to
		}
		points = append(points, point)
	}
	return points
}
