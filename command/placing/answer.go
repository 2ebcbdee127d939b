package placing

import (
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// PlaceSchema names the JSON form of the answer and its version.
const PlaceSchema = "lightpath.place/v1"

// Placement is the GPUs on which the operation takes the least time.
type Placement struct {
	Schema    string        `json:"schema"`
	Fabric    fabric.Fabric `json:"fabric"`
	Op        collective.Op `json:"op"`
	SizeBytes int64         `json:"size_bytes"`
	// GPUs are the best slice, ascending.
	GPUs []int `json:"gpus"`
	// TotalNs is the time of the plan for these GPUs, and BoundNs a lower bound for all plans
	// for them.
	TotalNs   units.Time `json:"total_ns"`
	BoundNs   units.Time `json:"bound_ns"`
	Algorithm string     `json:"algorithm"`
	Planner   string     `json:"planner"`
	// Among says which slices were examined.
	Among  string `json:"among"`
	Free   int    `json:"free"`   // GPUs that are neither failed nor held
	Slices int    `json:"slices"` // slices that were examined
	// Planned is how many of these slices were planned; the others have a bound above the best
	// plan, or are equivalent to a planned slice.
	Planned int `json:"planned"`
	// Choices are planned slices, at most 16, the fastest first.
	Choices []PlacedSlice `json:"choices"`
}

// PlacedSlice is a set of GPUs with its plan.
type PlacedSlice struct {
	GPUs    string     `json:"gpus"` // as --gpus takes them
	Islands int        `json:"islands,omitempty"`
	TotalNs units.Time `json:"total_ns"`
	Why     string     `json:"why"` // why it was examined
}
