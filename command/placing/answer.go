package placing

import (
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// PlaceSchema names the JSON form of the answer and its version.
const PlaceSchema = "lightpath.place/v1"

// Placement is the outcome: the GPUs on which the operation takes least.
type Placement struct {
	Schema    string        `json:"schema"`
	Fabric    fabric.Fabric `json:"fabric"`
	Op        collective.Op `json:"op"`
	SizeBytes int64         `json:"size_bytes"`
	// GPUs are the best slice, ascending.
	GPUs []int `json:"gpus"`
	// TotalNs is the time of the plan for these GPUs, and BoundNs what no plan for them beats.
	TotalNs   units.Time `json:"total_ns"`
	BoundNs   units.Time `json:"bound_ns"`
	Algorithm string     `json:"algorithm"`
	Planner   string     `json:"planner"`
	// Among says which slices were looked at.
	Among  string `json:"among"`
	Free   int    `json:"free"`   // GPUs that nobody has
	Slices int    `json:"slices"` // slices that were looked at
	// Planned is how many of them were planned; others have a bound above the best plan, or are
	// like one that was planned.
	Planned int `json:"planned"`
	// Choices are slices that were planned, the fastest first, at most 16.
	Choices []PlacedSlice `json:"choices"`
}

// PlacedSlice is a slice that was planned.
type PlacedSlice struct {
	GPUs    string     `json:"gpus"` // as --gpus takes them
	Islands int        `json:"islands,omitempty"`
	TotalNs units.Time `json:"total_ns"`
	Why     string     `json:"why"` // how it was chosen to be looked at
}
