// Package frontier knows the best plan as a function of the delay of a reconfiguration:
// the lower envelope of lines, one for every plan, whose slope is the number of
// reconfigurations.
package frontier

import (
	"cmp"
	"slices"

	"github.com/lightpath-net/lightpath/units"
)

// Point is a plan of planner harvest that is the fastest for a range of delays.
type Point struct {
	Algorithm        string      `json:"algorithm"`
	Reconfigurations int         `json:"reconfigurations"`
	CommunicationNs  units.Time  `json:"communication_ns"` // without the delays
	FromNs           units.Time  `json:"from_reconfig_ns"`
	ToNs             *units.Time `json:"to_reconfig_ns,omitempty"` // absent: any longer delay
}

// Lowest keeps the lines that are lowest for some delay and gives each its range. Delays
// up to compute are hidden.
func Lowest(lines []Point, compute units.Time) []Point {
	slices.SortStableFunc(lines, func(a, b Point) int {
		return cmp.Or(cmp.Compare(a.Reconfigurations, b.Reconfigurations), cmp.Compare(a.CommunicationNs, b.CommunicationNs))
	})
	meet := func(fewer, more Point) units.Time {
		return (fewer.CommunicationNs - more.CommunicationNs) / units.Time(more.Reconfigurations-fewer.Reconfigurations)
	}
	var hull []Point // fewest changes first
	for _, l := range lines {
		if n := len(hull); n > 0 && l.CommunicationNs >= hull[n-1].CommunicationNs*(1-tolerance) {
			continue
		}
		for len(hull) >= 2 && meet(hull[len(hull)-1], l) >= meet(hull[len(hull)-2], hull[len(hull)-1]) {
			hull = hull[:len(hull)-1]
		}
		hull = append(hull, l)
	}
	slices.Reverse(hull)
	from := units.Time(0)
	for i := range hull {
		hull[i].FromNs = from
		if i+1 < len(hull) {
			from = meet(hull[i+1], hull[i]) + compute
			to := from
			hull[i].ToNs = &to
		}
	}
	return hull
}

// tolerance is the relative rounding of a total.
const tolerance = 1e-9
