package available

import (
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/availability"
	"github.com/lightpath-net/lightpath/units"
)

// AvailabilitySchema names the JSON form of the answer and its version.
const AvailabilitySchema = "lightpath.availability/v1"

// Availability is the share of time at full speed, at reduced speed, and down.
type Availability struct {
	Schema      string                 `json:"schema"`
	Fabric      fabric.Fabric          `json:"fabric"`
	For         []collective.Operation `json:"for"`
	Technology  string                 `json:"technology"`
	Layout      string                 `json:"layout"`
	NodesNeeded int                    `json:"nodes_needed"`
	// SpareSwitches is the number of spare switches of the whole fabric.
	SpareSwitches int    `json:"spare_switches,omitempty"`
	Seed          uint64 `json:"seed"`
	// WholeNs is the time of the operations while nothing is missing.
	WholeNs units.Time `json:"whole_ns"`
	// Cases are the four cases: with and without spares, each with and without plans around what is
	// missing.
	Cases []Case `json:"cases"`
	// Causes are the kinds of places where something fails.
	Causes []Cause `json:"causes"`
	// States are the planned states and the states with too few GPUs left, the most likely
	// first.
	States []PlannedState `json:"states"`
	// Missing is the largest number of places missing at once in the states that were examined.
	// Kinds is the number of different states among these, Planned the number that were planned,
	// and Open the number that were neither planned nor settled by other plans.
	Missing int `json:"missing"`
	Kinds   int `json:"kinds"`
	Planned int `json:"planned"`
	Open    int `json:"open"`
	// Answer is the answer in words.
	Answer string `json:"answer"`
}

// Case is a way to run the fabric.
type Case struct {
	Spares     bool                `json:"spares"`
	Replanning bool                `json:"replanning"`
	Shares     availability.Shares `json:"shares"` // at likely rates
	// Low and High are the shares if all parts fail as often, and are repaired as slowly, as at
	// worst and at best.
	Low  availability.Shares `json:"low"`
	High availability.Shares `json:"high"`
}

// CaseRow is a case at one setting of the rates, as a row of a table.
type CaseRow struct {
	Spares     bool    `json:"spares"`
	Replanning bool    `json:"replanning"`
	Parts      string  `json:"parts"` // fail and are repaired: worst | likely | best
	Full       float64 `json:"full"`
	Reduced    float64 `json:"reduced"`
	Down       float64 `json:"down"`
	Unknown    float64 `json:"unknown"`
	SpeedLow   float64 `json:"speed_low"`
	SpeedHigh  float64 `json:"speed_high"`
	Sampled    float64 `json:"sampled"`
}

// Rows lists the cases, each at the worst, likely and best rates.
func (a *Availability) Rows() []CaseRow {
	var rows []CaseRow
	for _, c := range a.Cases {
		for _, end := range []struct {
			name string
			of   availability.Shares
		}{{"likely", c.Shares}, {"worst", c.Low}, {"best", c.High}} {
			s := end.of
			rows = append(rows, CaseRow{c.Spares, c.Replanning, end.name, s.Full, s.Reduced, s.Down, s.Unknown, s.SpeedLow, s.SpeedHigh, s.Sampled})
		}
	}
	return rows
}

// Cause is a kind of places that fail.
type Cause struct {
	Name   string `json:"name"`
	Places int    `json:"places"`
	Spares int    `json:"spares,omitempty"` // of every pool
	Pools  int    `json:"pools"`
	// PerYear is how many of these places fail in a year, and RepairHours how long they are then
	// missing without a spare; both are likely values.
	PerYear     float64 `json:"per_year"`
	RepairHours float64 `json:"repair_hours"`
	// Speed is the speed with one of them missing, 0: down. It is a range if the places differ.
	SpeedLow  float64 `json:"speed_low"`
	SpeedHigh float64 `json:"speed_high"`
	// LostHours is the time in a year with at least one of the places missing, with the given
	// spares.
	LostHours float64 `json:"lost_hours"`
}

// PlannedState is a planned state, representing all equivalent states.
type PlannedState struct {
	Lost    string     `json:"lost"` // as in a list of failures
	TotalNs units.Time `json:"total_ns,omitempty"`
	// Speed is the resulting speed: 0 if there is no plan, or too few GPUs.
	Speed float64 `json:"speed"`
	// Chance is the likely share of time in such states, with spares.
	Chance float64 `json:"chance"`
}
