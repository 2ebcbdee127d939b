package compile

import (
	"fmt"

	"github.com/lightpath-net/lightpath/compile/program"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

// BufferOptions are the options of every runtime's program that say for which buffers it is.
type BufferOptions struct {
	// InPlace makes programs for input and output in the same buffer, or in one that is part of
	// the other. A program is either in place or out of place.
	InPlace bool `json:"in_place,omitempty" help:"input and output share a buffer, or one is part of the other"`
	// MinBytes and MaxBytes are the sizes for which a runtime should choose the program;
	// 0: half and twice the plan's.
	MinBytes units.Bytes `json:"min_bytes,omitzero" flag:"min-bytes" help:"smallest buffer ${SIZE} the program is for (default: half the plan's)"`
	MaxBytes units.Bytes `json:"max_bytes,omitzero" flag:"max-bytes" help:"largest buffer ${SIZE} the program is for (default: twice the plan's)"`
}

// Complete reports the first invalid field.
func (o *BufferOptions) Complete() error {
	if o.MinBytes < 0 {
		return field.Errorf("min_bytes", "must not be negative")
	}
	if o.MaxBytes < 0 {
		return field.Errorf("max_bytes", "must not be negative")
	}
	if o.MaxBytes > 0 && o.MaxBytes < o.MinBytes {
		return field.Errorf("max_bytes", "%v is below `min_bytes`, %v", o.MaxBytes, o.MinBytes)
	}
	return nil
}

// window returns the sizes that a program is meant for.
func (o *BufferOptions) window(p *plan.Plan) (low, high int64) {
	low, high = int64(o.MinBytes), int64(o.MaxBytes)
	if low == 0 {
		low = int64(p.Collective.Size) / 2
	}
	if high == 0 {
		high = int64(p.Collective.Size) * 2
	}
	return low, high
}

// validity says for which buffers a program is correct.
func validity(l *program.BufferMap, elements string) string {
	buffers := "out of place"
	if l.InPlace {
		buffers = "in place"
	}
	return fmt.Sprintf("valid %s only, for buffers of %s", buffers, elements)
}

// meant says for which buffers a runtime should choose a program.
func meant(low, high int64) string {
	return fmt.Sprintf("meant for buffers of %v to %v", units.Bytes(low), units.Bytes(high))
}
